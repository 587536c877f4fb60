/** Command lines by chance: pieces put together, lines with a grammar, and lines that were broken. */
import fc from "fast-check";

/** Programs that are on the list, and some that aren't. */
export const ALLOWED = ["a", "b", "c"];
export const OTHERS = ["x", "y"];
/** Wrappers, which are the real ones. */
export const WRAPPERS = ["env", "nohup", "bash"];
/** Real ones that aren't on the list: only a line as it was written starts them. */
export const READERS = ["cat"];

/** Pieces that, put together at random, make lines on which readings differ. */
const PIECES = [
  ..."a b c x y".split(" "),
  ..."a a b".split(" ").map((name) => ` ${name} `),
  " ",
  " ",
  "\n",
  ";",
  " && ",
  " || ",
  " | ",
  " & ",
  "|&",
  "$(",
  ")",
  "`",
  '"',
  "'",
  "\\",
  "\\\n",
  "$'",
  "'",
  '$"',
  "${v:-",
  "}",
  "${v",
  "<(",
  ">(",
  " <<E\n",
  "\nE\n",
  " <<'E'\n",
  " <<-E\n",
  "\"$(cat <<'E'\n",
  '\nE\n)"',
  " <<< ",
  "[[ ",
  " ]]",
  "((",
  "))",
  "$((",
  "{ ",
  "; }",
  "( ",
  " )",
  "{a,x}",
  "#",
  " # ",
  "!",
  " ! ",
  "time ",
  "if ",
  "; then ",
  "; fi",
  "for i in 1 2; do ",
  "; done",
  "case a in ",
  "*) ",
  ";;",
  " esac",
  "v=",
  "v=x ",
  "$v",
  '"$v"',
  " > f",
  " 2>&1",
  ">&2",
  "<f",
  " &> f",
  "~",
  "*",
  "?",
  "[ab]",
  "\r",
  "\t",
  "\u00a0",
  "$",
  "\\x24(x)",
  "@(a|x)",
  "function f ",
  "f() ",
  "eval ",
  "env ",
  "command ",
  "-",
  "1",
];

export const soup = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 14 })
  .map((pieces) => pieces.join(""));

const plainWord = fc.oneof(
  fc.constantFrom("p", "'q r'", '"s t"', "\\;", "$v", '"$v"', "*", "{p,q}", "$'\\n'", "~/p", "''"),
  fc.constantFrom(
    "'$(x)'",
    "${v:-p}",
    "$((1+2))",
    "p\\ q",
    '"p\\$(x)"',
    '""$v',
    "[ab]*",
    "\\\n",
  ),
  fc.string({ unit: "binary-ascii", maxLength: 6 }).map((text) =>
    `'${text.replaceAll("'", "").replaceAll("\0", "").replaceAll("\x1e", "")}'`
  ),
);

/** A message of several lines, as models write it. */
const message = fc.array(
  fc.constantFrom(
    ..."it's|a \"b|$(x)|`y`|\\|$v|)|(|#|'|<<F|\\$|case x in|E)| E|E |p|\t|&& x".split("|"),
    "",
    ')"; x',
  ),
  { maxLength: 4 },
).map((lines) => `"$(cat <<'E'\n${lines.map((text) => `${text}\n`).join("")}E\n)"`);

/** Lines with a grammar: most of them can be read. `inner` is the line that stands in their substitutions. */
function grammar(inner: fc.Arbitrary<string> | null): fc.Arbitrary<string> {
  const word = inner === null ? plainWord : fc.oneof(
    { arbitrary: plainWord, weight: 6 },
    { arbitrary: message, weight: 1 },
    { arbitrary: inner.map((text) => `$(${text})`), weight: 1 },
    { arbitrary: inner.map((text) => `"p$( ${text} )"`), weight: 1 },
    { arbitrary: inner.map((text) => `<(${text})`), weight: 1 },
    { arbitrary: inner.map((text) => `\`${text.replace(/[\\`]/g, "")}\``), weight: 1 },
  );
  const redirect = fc.constantFrom(
    "",
    "",
    "",
    "",
    " > f",
    " 2>&1",
    " >/dev/null",
    " <<< p",
    " &> f",
    " 2>> f",
  );
  const names = fc.constantFrom(
    ..."a a a b b c c x 'a' \\b".split(" "),
    "env a",
    "LANG=C b",
    "nohup c",
  );
  const simple = fc.tuple(names, fc.array(word, { maxLength: 3 }), redirect)
    .map(([name, words, end]) => [name, ...words].join(" ") + end);
  const body = inner ?? simple;
  const compound = fc.oneof(
    body.map((text) => `( ${text} )`),
    body.map((text) => `{ ${text}\n} > f`),
    body.map((text) => `! ${text}`),
    fc.tuple(simple, body, body).map(([test, one, two]) =>
      `if ${test}\nthen ${one}\nelif a; then b; else ${two}\nfi`
    ),
    fc.tuple(word, body).map(([item, text]) => `for i in ${item} 2; do ${text}\ndone`),
    fc.tuple(word, body).map(([item, text]) => `case ${item} in p*|q) ${text}\n;; *) a;; esac`),
    fc.tuple(word, simple).map(([item, text]) => `[[ -n ${item} && p == p* ]] && ${text}`),
    body.map((text) => `bash -c '${text.replaceAll("'", "'\\''")}'`),
  );
  const command = fc.oneof({ arbitrary: simple, weight: 4 }, { arbitrary: compound, weight: 1 });
  const joint = fc.constantFrom("\n", " && ", " || ", " | ", "; ", " |& ", " & ");
  return fc.oneof(
    { arbitrary: command, weight: 2 },
    { arbitrary: fc.tuple(command, joint, command).map((parts) => parts.join("")), weight: 3 },
    { arbitrary: simple.map((text) => `${text} <<E && b\np $v \\$q\nE\na`), weight: inner ? 1 : 0 },
  );
}

export const line = grammar(grammar(grammar(null)));

/** Lines with pieces thrown in: near enough to be read, far enough to be read wrong. */
export const broken = fc.tuple(
  line,
  fc.array(fc.tuple(fc.nat({ max: 1000 }), fc.constantFrom(...PIECES)), {
    minLength: 1,
    maxLength: 3,
  }),
).map(([text, pieces]) =>
  pieces.reduce((whole, [place, piece]) => {
    const at = place % (whole.length + 1);
    return whole.slice(0, at) + piece + whole.slice(at);
  }, text)
);
