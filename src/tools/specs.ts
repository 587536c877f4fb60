/**
 * What the model is told of each tool (SPEC 5). It goes into every request, so it stands apart from what the tools do,
 * which is loaded while the first answer is awaited.
 */
import type { ToolSpec } from "../vocab.ts";

/** The time limit of a command that asks for none, in seconds (SPEC 5). */
export const DEFAULT_TIMEOUT_S = 120;

/** `run`. */
export const RUN_SPEC: ToolSpec = {
  name: "run",
  description:
    "Run a shell command in the working directory. Returns its exit code and its output, stdout and " +
    "stderr together. Standard input is empty and there is no terminal, so nothing can ask questions.",
  parameters: {
    type: "object",
    properties: {
      command: { type: "string", description: "The command line, for sh -c" },
      timeout_s: {
        type: "number",
        description: `Time limit in seconds, ${DEFAULT_TIMEOUT_S} by default`,
        minimum: 0.1,
        maximum: 86_400,
      },
    },
    required: ["command"],
  },
};

/** `read_file`. */
export const READ_FILE_SPEC: ToolSpec = {
  name: "read_file",
  description: "Read a text file, exactly as it is.",
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", description: "file" },
      start_line: { type: "integer", minimum: 1, description: "first line, from 1" },
      end_line: { type: "integer", minimum: 1, description: "last line, included" },
    },
    required: ["path"],
  },
};

/** `write_file`. */
export const WRITE_FILE_SPEC: ToolSpec = {
  name: "write_file",
  description: "Write a whole file (parent folders are made). To change a part, use edit_file.",
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", description: "file" },
      content: { type: "string", description: "the whole new content" },
    },
    required: ["path", "content"],
  },
};

/** `edit_file`. */
export const EDIT_FILE_SPEC: ToolSpec = {
  name: "edit_file",
  description: "Replace an exact text in a file; it must occur once unless all is true.",
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", description: "file" },
      old: { type: "string", description: "text as it stands in the file" },
      new: { type: "string", description: "text in its place" },
      all: { type: "boolean", description: "replace every occurrence" },
    },
    required: ["path", "old", "new"],
  },
};

/** `apply_patch`. */
export const APPLY_PATCH_SPEC: ToolSpec = {
  name: "apply_patch",
  description:
    "Apply a unified diff to files, all or nothing. Line numbers are a hint; context must match. New file: --- /dev/null.",
  parameters: {
    type: "object",
    properties: { patch: { type: "string", description: "the diff" } },
    required: ["patch"],
  },
};

/** `list_files`. */
export const LIST_FILES_SPEC: ToolSpec = {
  name: "list_files",
  description: "List files below a folder (.gitignore is honoured).",
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", description: "folder" },
      glob: { type: "string", description: "such as *.ts or src/**" },
    },
    required: [],
  },
};

/** `search`. */
export const SEARCH_SPEC: ToolSpec = {
  name: "search",
  description: "Search files by regular expression; prints file:line:text.",
  parameters: {
    type: "object",
    properties: {
      pattern: { type: "string", description: "regular expression (JavaScript)" },
      path: { type: "string", description: "folder or file" },
      glob: { type: "string", description: "such as *.ts" },
    },
    required: ["pattern"],
  },
};

/** All of them, in the order in which the model is told of them. */
export const TOOL_SPECS: readonly ToolSpec[] = [
  RUN_SPEC,
  READ_FILE_SPEC,
  WRITE_FILE_SPEC,
  EDIT_FILE_SPEC,
  APPLY_PATCH_SPEC,
  LIST_FILES_SPEC,
  SEARCH_SPEC,
];
