/** What the machine is, in a few words for the head of a table. */
export function describeMachine(): string {
  const { os, arch } = Deno.build;
  return `${os} ${arch}, ${navigator.hardwareConcurrency} cores, Deno ${Deno.version.deno}`;
}
