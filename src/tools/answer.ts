/** The two ways in which a file tool ends. */
import { FileError } from "../system/system.ts";
import type { ToolAnswer } from "./tool.ts";
import { TransactionError } from "./transaction.ts";

/** It worked. */
export function succeed(output: string): ToolAnswer {
  return { exit: 0, output: output.endsWith("\n") ? output : `${output}\n` };
}

/** It didn't, and the sentence says what to do about it. */
export function refuse(message: string): ToolAnswer {
  return { exit: 1, output: message.endsWith("\n") ? message : `${message}.\n` };
}

/** Runs a tool's work; what the file system refuses becomes an answer that the model can act on. */
export async function answering(work: () => Promise<ToolAnswer>): Promise<ToolAnswer> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FileError || error instanceof TransactionError) {
      return refuse(error.message);
    }
    throw error;
  }
}
