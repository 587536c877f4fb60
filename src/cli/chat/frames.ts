/** When what streams is drawn: at once, then so often as a person can see. */
import type { Clock } from "../../system/system.ts";

/** Half a frame of a screen, in milliseconds. */
export const FRAME_MS = 8;

/**
 * A function that has `draw` called with the next turn of the event loop, so that all of one read is drawn together; but
 * once in {@linkcode FRAME_MS}, however often it is called. After `over` it waits for nothing any more.
 */
export function createFrames(clock: Clock, draw: () => void, over: AbortSignal): () => void {
  let drawnAt = -Infinity;
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    void clock.sleep(FRAME_MS - (clock.monotonic() - drawnAt), over).then(() => {
      waiting = false;
      drawnAt = clock.monotonic();
      draw();
    });
  };
}
