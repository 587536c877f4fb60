/** The systems that the program is built for, and how a built file is told from another. */

/** By the triple that `deno compile --target` takes: the file's name, its format and CPU. */
export const TARGETS: {
  readonly [triple: string]: { readonly file: string; readonly cpu: string };
} = {
  "x86_64-unknown-linux-gnu": { file: "cst-agent-linux-x64", cpu: "elf 62" },
  "aarch64-unknown-linux-gnu": { file: "cst-agent-linux-arm64", cpu: "elf 183" },
  "x86_64-apple-darwin": { file: "cst-agent-macos-x64", cpu: "macho 1000007" },
  "aarch64-apple-darwin": { file: "cst-agent-macos-arm64", cpu: "macho 100000c" },
  "x86_64-pc-windows-msvc": { file: "cst-agent-windows-x64.exe", cpu: "pe 8664" },
};

/** What a program's first bytes say of its format and CPU. */
export function formatOf(bytes: Uint8Array<ArrayBuffer>): string {
  const view = new DataView(bytes.buffer);
  if (view.getUint32(0) === 0x7f454c46) return `elf ${view.getUint16(18, true)}`;
  if (view.getUint32(0, true) === 0xfeedfacf) {
    return `macho ${view.getUint32(4, true).toString(16)}`;
  }
  if (view.getUint16(0) === 0x4d5a) {
    return `pe ${view.getUint16(view.getUint32(0x3c, true) + 4, true).toString(16)}`;
  }
  return "unknown";
}
