/** The tools, in the order in which the model is told of them (SPEC 5). */
import { applyPatchTool } from "./apply_patch.ts";
import { editFileTool } from "./edit_file.ts";
import { listFilesTool } from "./list_files.ts";
import { readFileTool } from "./read_file.ts";
import { runTool } from "./run.ts";
import { searchTool } from "./search.ts";
import type { Tool } from "./tool.ts";
import { writeFileTool } from "./write_file.ts";

/** Every tool that works on files. */
export const FILE_TOOLS: readonly Tool[] = [
  readFileTool,
  writeFileTool,
  editFileTool,
  applyPatchTool,
  listFilesTool,
  searchTool,
];

/** Every tool. */
export const TOOLS: readonly Tool[] = [runTool, ...FILE_TOOLS];
