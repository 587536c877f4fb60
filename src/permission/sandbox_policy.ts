/** What the boundary around commands is, in words that bubblewrap and macOS's sandbox are both made from (SPEC 8). */

/** What commands may touch. All paths are absolute, exist and have no links in them. */
export interface SandboxPolicy {
  readonly cwd: string;
  /** Folders and files that may be written: the working directory and `--allow-write`. */
  readonly writable: readonly string[];
  /** What is pinned in them: a folder that may be written but neither moved nor replaced (`.git`). */
  readonly pinned: readonly string[];
  /** What may not be written in them (`.git/hooks`). */
  readonly readOnly: readonly Place[];
  /** What is not there at all (our sessions, our configuration). */
  readonly hidden: readonly Place[];
  /** What may be read although it is in a hidden folder (the spill files). */
  readonly shown: readonly string[];
  /** The folder that commands see as `/tmp`; without one each has an empty one of its own. */
  readonly tmp?: string;
  readonly network: boolean;
}

/** A path with what it is. `missing`: nothing may come to be there. */
export interface Place {
  readonly path: string;
  readonly kind: "file" | "directory";
  readonly missing?: boolean;
}
