/**
 * The words of this room: what a patch says, what a file was and becomes, and why a patch doesn't fit.
 *
 * Texts of files and of hunk lines are *byte texts*: one code unit a byte (`byte_text.ts`), so that bytes which
 * aren't UTF-8 pass through untouched.
 */

/** One line of a hunk. */
export interface HunkLine {
  readonly kind: "context" | "removed" | "added";
  /** Without its mark and its `\n`; a CR that the patch shows is still there. */
  readonly text: string;
  /** `\ No newline at end of file` stands below it. */
  readonly noNewline?: boolean;
}

/** One hunk: from its `@@` to the next boundary. */
export interface Hunk {
  /** The line of the patch where it starts, from 1. */
  readonly at: number;
  readonly lines: readonly HunkLine[];
  /** The line of the old file that the header names, from 1; absent under a bare `@@`. */
  readonly oldStart?: number;
  /** The count of old lines that the header names; 0 says "insert after `oldStart`". */
  readonly oldCount?: number;
  /** Lines that must stand above the place, outermost first: the text of a bare `@@ text`. */
  readonly anchors: readonly string[];
  /** This many blank lines at its end may as well be separators. */
  readonly looseBlanks: number;
  /** Old lines that the counts promise beyond the body, when the text ends here after a `+` or `-` line. */
  readonly missing?: number;
  /** It must end where the file ends (`*** End of File`). */
  readonly atEnd?: boolean;
}

/** What a patch does to one file; paths are as the patch writes them, prefixes taken off. */
export interface Section {
  readonly kind: "update" | "create" | "delete" | "rename" | "copy";
  /** The line of the patch where it starts, from 1. */
  readonly at: number;
  /** The file that is read (for `create`, the one that is made). */
  readonly path: string;
  /** The old name as written, its first folder not taken for a prefix. */
  readonly unstripped?: string;
  /** Where a rename or a copy goes. */
  readonly to?: string;
  /** The new permission bits, where the patch names some. */
  readonly mode?: number;
  readonly hunks: readonly Hunk[];
  /** A deletion that shows no content (`*** Delete File`) and asks for none. */
  readonly blind?: boolean;
}

/** Why a patch, a section or a hunk was refused. */
export type MisfitKind =
  | "empty_patch"
  | "wrong_format"
  | "bad_header"
  | "no_hunks"
  | "bad_hunk"
  | "truncated"
  | "no_change"
  | "path_mismatch"
  | "path_escape"
  | "not_regular_file"
  | "missing_file"
  | "file_exists"
  | "delete_incomplete"
  | "context_not_found"
  | "ambiguous"
  | "overlap"
  | "binary"
  | "unsupported";

/** One reason for refusal, in a sentence that a model can act on. */
export interface Misfit {
  readonly kind: MisfitKind;
  readonly message: string;
  /** The line of the patch, from 1. */
  readonly at: number;
  readonly path?: string;
  /** The hunk's number in its section, from 1. */
  readonly hunk?: number;
}

/** A patch as read, or what is wrong with its text. */
export type Parsed =
  | { readonly kind: "patch"; readonly sections: readonly Section[] }
  | { readonly kind: "misfits"; readonly misfits: readonly Misfit[] };

/** A regular file: its bytes as byte text, and its permission bits. */
export interface FileState {
  readonly text: string;
  readonly mode: number;
}

/** What stands at a path before the patch. */
export type Source =
  | ({ readonly kind: "file" } & FileState)
  | { readonly kind: "missing" }
  /** A folder, a device, or something that can't be read; `what` says which. */
  | { readonly kind: "other"; readonly what: string };

/** Where one hunk landed. */
export interface Placement {
  readonly path: string;
  readonly hunk: number;
  /** Its first and last line in the result, from 1; `to < from` when nothing of it is left. */
  readonly from: number;
  readonly to: number;
  /** `trailing_space`: it fits only when blanks at line ends are ignored. */
  readonly how: "exact" | "trailing_space";
  /** Lines between where the header said and where it is; absent where the header named no line. */
  readonly moved?: number;
}

/** What becomes of one path; `null` is "no file". */
export interface Change {
  readonly path: string;
  readonly before: FileState | null;
  readonly after: FileState | null;
}

/** A patch worked out: every change of it, or every reason against it. */
export type Applied =
  | {
    readonly kind: "applied";
    readonly changes: readonly Change[];
    readonly placements: readonly Placement[];
    readonly sections: readonly Section[];
  }
  | { readonly kind: "misfits"; readonly misfits: readonly Misfit[] };
