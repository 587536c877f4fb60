/** CRC-32 (ISO 3309, reflected polynomial EDB88320), the one of zip and PNG. */

const TABLE = createTable();

function createTable(): Uint32Array {
  const table = new Uint32Array(256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    table[byte] = crc;
  }
  return table;
}

/**
 * The CRC-32 of `bytes`, going on from `previous`, so that
 * `crc32(b, crc32(a))` is the CRC of `a` and `b` together.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const bytes = (text: string) => new TextEncoder().encode(text);
 * assertEquals(crc32(bytes("123456789")).toString(16), "cbf43926");
 * assertEquals(crc32(bytes("6789"), crc32(bytes("12345"))), crc32(bytes("123456789")));
 * ```
 */
export function crc32(bytes: Uint8Array, previous = 0): number {
  let crc = ~previous;
  for (let at = 0; at < bytes.length; at++) {
    crc = (crc >>> 8) ^ TABLE[(crc ^ bytes[at]!) & 0xff]!;
  }
  return ~crc >>> 0;
}
