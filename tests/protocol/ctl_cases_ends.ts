/** The cases of CTL: limits and the end of the stream (SPEC 2.5). */
import { type CtlCase, frame } from "./ctl_case.ts";

export const ENDS: readonly CtlCase[] = [
  // limits
  {
    title: "a declared length over the limit, before its body",
    text: "call c1 run\narg a 11\n",
    how: "cut",
    limits: { argument: 10 },
    violation: ["limit", '"a": 11 bytes are more than the 10', "c1"],
  },
  {
    title: "a length at the limit",
    text: frame("arg a 10", "0123456789"),
    limits: { argument: 10 },
    calls: [["c1", { a: "0123456789" }]],
  },
  {
    title: "a length of 30 digits",
    text: frame(`arg a ${"9".repeat(30)}`),
    violation: ["limit", '"a"', "c1"],
  },
  {
    title: "a heredoc that grows past the limit",
    text: frame("arg a <<EOF", "01234", "5678", "9", "EOF"),
    limits: { argument: 10 },
    violation: ["limit", '"a": 11 bytes', "c1"],
  },
  {
    title: "a heredoc at the limit",
    text: frame("arg a <<EOF", "012345678", "EOF"),
    limits: { argument: 10 },
    calls: [["c1", { a: "012345678\n" }]],
  },
  {
    title: "an inline value over the limit",
    text: frame("arg a 0123456789x"),
    limits: { argument: 10 },
    violation: ["limit", '"a": 11 bytes', "c1"],
  },
  {
    title: "the last argument that fits",
    text: frame("arg a x", "arg b x"),
    limits: { argumentsPerCall: 2 },
    calls: [["c1", { a: "x", b: "x" }]],
  },
  {
    title: "one argument too many",
    text: frame("arg a x", "arg b x", "arg c x"),
    limits: { argumentsPerCall: 2 },
    violation: ["limit", "more than 2 arguments", "c1"],
  },
  {
    title: "lines at the limit",
    text: frame("arg a x45678", "arg b <<EOF", "0123456789ab", "EOF"),
    limits: { line: 12 },
    calls: [["c1", { a: "x45678", b: "0123456789ab\n" }]],
  },
  {
    title: "a header over the limit",
    text: frame("arg a x456789"),
    limits: { line: 12 },
    violation: ["line_too_long", "longer than 12 bytes", "c1"],
  },
  {
    title: "a heredoc line over the limit",
    text: frame("arg a <<EOF", "ok", "0123456789abc", "EOF"),
    limits: { line: 12 },
    violation: ["line_too_long", 'argument "a": a line', "c1"],
  },
  {
    title: "a call line over the limit",
    text: "call c1 runrun\n",
    limits: { line: 12 },
    violation: ["line_too_long", "longer than 12"],
  },
  {
    title: "prose has no limit",
    text: "0123456789 abcdef\n",
    limits: { line: 12 },
    prose: "0123456789 abcdef\n",
  },
  {
    title: "counted bytes have no lines",
    text: frame("arg a 16", "0123456789abcdef"),
    limits: { line: 12 },
    calls: [["c1", { a: "0123456789abcdef" }]],
  },
  // 2.5 the end of the stream
  {
    title: "complete: a last end without newline",
    text: "call c1 run\nend",
    calls: [["c1", {}]],
    kept: "call c1 run\nend",
  },
  {
    title: "cut: a last end without newline",
    text: "call c1 run\nend",
    how: "cut",
    calls: [],
    violation: ["call_eof", 'no line "end"', "c1"],
    kept: "",
  },
  {
    title: "complete: a last tag without newline",
    text: "call c1 run\narg a <<EOF\nx\nEOF",
    calls: [],
    violation: ["call_eof", "1 argument arrived", "c1"],
  },
  {
    title: "cut: a last tag without newline",
    text: "call c1 run\narg a <<EOF\nx\nEOF",
    how: "cut",
    violation: ["heredoc_eof", '2 bytes arrived but no line that is exactly "EOF"', "c1"],
  },
  {
    title: "complete: an unclosed heredoc",
    text: "call c1 run\narg a <<EOF\nx\nEOFISH",
    violation: ["heredoc_eof", '"a": 2 bytes', "c1"],
  },
  {
    title: "complete: a last arg line without newline",
    text: "call c1 run\narg a x",
    violation: ["call_eof", "1 argument arrived", "c1"],
  },
  {
    title: "complete: a last length without newline",
    text: "call c1 run\narg a 5",
    violation: ["body_eof", "declared 5 bytes but only 0 arrived", "c1"],
  },
  {
    title: "a body that is too short",
    text: "call c1 run\narg patch 495\n" + "x".repeat(438),
    violation: ["body_eof", 'argument "patch": declared 495 bytes but only 438 arrived', "c1"],
  },
  {
    title: "a body that is cut",
    text: "call c1 run\narg a 5\nhel",
    how: "cut",
    violation: ["body_eof", "declared 5 bytes but only 3 arrived", "c1"],
  },
  {
    title: "complete: a call header alone",
    text: "call c1 run",
    violation: ["call_eof", "0 arguments arrived", "c1"],
  },
  {
    title: "cut: a call header that isn't whole",
    text: "Ok.\ncall c1 ru",
    how: "cut",
    calls: [],
    prose: "Ok.\n",
    violation: ["call_eof", 'inside the line "call c1 ru"'],
  },
  {
    title: "cut: prose that begins like a header",
    text: "call me when it",
    how: "cut",
    prose: "call me when it",
  },
  { title: "cut: the beginning of call", text: "Ok.\ncal", how: "cut", prose: "Ok.\ncal" },
  {
    title: "complete: the word call at the end",
    text: "Ok.\ncall",
    violation: ["bad_call", "neither id nor tool name"],
  },
  {
    title: "cut after a whole call",
    text: frame("arg a x") + "call c2 run\narg b",
    how: "cut",
    calls: [["c1", { a: "x" }]],
    violation: ["call_eof", 'call "c2"', "c2"],
    kept: frame("arg a x"),
  },
  {
    title: "cut inside a second header",
    text: frame() + "call c2",
    how: "cut",
    calls: [["c1", {}]],
    violation: ["call_eof", '"call c2"'],
  },
];
