/** A patch over five files that does everything: edits, creates in new folders, deletes, renames, changes a mode. */
import { createFiles } from "../../src/system/files.ts";
import type { Files } from "../../src/system/system.ts";
import { plant } from "./world.ts";

export function plantFive(folder: string): void {
  plant(folder, {
    "a.txt": "one\ntwo\nthree\n",
    "run.sh 755": "#!/bin/sh\necho X\n",
    "sub/gone.txt 600": "bye\n",
    "old.txt 640": "keep\nthis\n",
  });
}

export const FIVE = `--- a/a.txt
+++ b/a.txt
@@ -1,3 +1,3 @@
 one
-two
+TWO
 three
diff --git a/run.sh b/run.sh
old mode 100755
new mode 100700
--- a/run.sh
+++ b/run.sh
@@ -1,2 +1,2 @@
 #!/bin/sh
-echo X
+echo Y
--- /dev/null
+++ b/new/deep/made.txt
@@ -0,0 +1 @@
+made
--- a/sub/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/old.txt b/new/moved.txt
rename from old.txt
rename to new/moved.txt
`;

/** Real files, with `before` called ahead of every operation that changes something. */
export function watched(before: (operation: string, path: string) => void): Files {
  const files = createFiles();
  return {
    ...files,
    mkdir: async (path, options) => {
      before("mkdir", path);
      await files.mkdir(path, options);
    },
    rename: async (from, to) => {
      before("rename", to);
      await files.rename(from, to);
    },
    remove: async (path) => {
      before("remove", path);
      await files.remove(path);
    },
    createSynced: async (path, bytes, mode) => {
      before("create", path);
      await files.createSynced(path, bytes, mode);
    },
    syncDir: async (path) => {
      before("sync", path);
      await files.syncDir(path);
    },
  };
}
