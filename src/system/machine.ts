/** The system's name: `linux`, `darwin` or `windows`. */
export function platformName(): string {
  return Deno.build.os;
}

/** The version of the runtime and of its engine. */
export function runtimeVersions(): { readonly deno: string; readonly v8: string } {
  return { deno: Deno.version.deno, v8: Deno.version.v8 };
}

/** What the machine is, in a few words for the head of a table. */
export function describeMachine(): string {
  const { os, arch } = Deno.build;
  return `${os} ${arch}, ${navigator.hardwareConcurrency} cores, Deno ${Deno.version.deno}`;
}
