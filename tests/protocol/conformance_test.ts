import { createProtocol, PROTOCOL_NAMES } from "../../src/protocol/mod.ts";
import { RULES } from "./conformance.ts";

for (const name of PROTOCOL_NAMES) {
  for (const { title, check } of RULES) {
    Deno.test(`${name}: ${title}`, () => check(createProtocol(name)!));
  }
}
