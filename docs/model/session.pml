/*
 * Confirm -> record the intent -> sync -> run -> record the result -> resume (SPEC 7), with crashes at any step.
 *
 * Two programs are started on one session. Each may be killed or lose its power at every step and is then started
 * again; the disk may be full at a write. A kill leaves what was written; a power cut leaves what was synced and any
 * beginning of the rest. Checked in every interleaving:
 *   - no call's effect happens twice;
 *   - no result says that a call ran which didn't;
 *   - at the end every call has its intent and one answer: its result, or "unknown".
 *
 * Each of LATE, UNSYNCED, UNRECORDED, RERUN, CLAIM, UNLOCKED, DEAF (-D…) makes one mistake; the check must find it.
 */
#define CALLS   2
#define RECORDS 4   /* two a call */
#define CRASHES 3
#define FULL    1   /* times that the disk takes nothing */

mtype = { INTENT, RESULT, UNKNOWN };

typedef Record { mtype kind; byte call }

Record file[RECORDS];
byte written;         /* records in the file, as the system shows it */
byte synced;          /* of these, on the disk for certain */
bool locked;
byte ran[CALLS];      /* times that the effect of a call happened */
byte crashes;
byte fulls;           /* times that it was full */

#define CRASH_HERE if :: crashes < CRASHES -> crashes++; goto crashed :: skip fi

/* A write that fails is cut back, and the program stops before it does anything else. */
#ifdef DEAF
#define WHEN_FULL skip
#else
#define WHEN_FULL goto stopped
#endif

#define APPEND(k, c) \
  if \
  :: atomic { assert(written < RECORDS); file[written].kind = k; file[written].call = c; written++ } \
  :: fulls < FULL -> fulls++; WHEN_FULL \
  fi; \
  CRASH_HERE

#define SYNC synced = written; CRASH_HERE

#define RUN(c) atomic { ran[c]++; assert(ran[c] <= 1) }; CRASH_HERE

#define APPEND_RESULT(c) assert(ran[c] == 1); APPEND(RESULT, c)

active [2] proctype agent() {
  byte call;

start:
#ifndef UNLOCKED
  if
  :: atomic { !locked -> locked = true }
  :: locked -> goto refused
  fi;
#endif

  /* Resume: the last call has an intent and no answer. */
  if
  :: written > 0 && file[written - 1].kind == INTENT ->
    call = file[written - 1].call;
#ifdef RERUN
    RUN(call);
    APPEND_RESULT(call)
#else
#ifdef CLAIM
    APPEND_RESULT(call)
#else
    APPEND(UNKNOWN, call)
#endif
#endif
  :: else
  fi;

  do
  :: written >= RECORDS -> break
  :: else ->
    call = written / 2;
#ifdef UNRECORDED
    RUN(call);
    APPEND(INTENT, call);
    SYNC;
#else
    APPEND(INTENT, call);
#ifdef LATE
    RUN(call);
    SYNC;
#else
#ifndef UNSYNCED
    SYNC;
#endif
    RUN(call);
#endif
#endif
    APPEND_RESULT(call)
  od;

  /* The end: every call is answered once. */
  call = 0;
  do
  :: call >= CALLS -> break
  :: else ->
    assert(file[2 * call].kind == INTENT && file[2 * call].call == call);
    assert(file[2 * call + 1].kind != INTENT && file[2 * call + 1].call == call);
    assert(file[2 * call + 1].kind == UNKNOWN || ran[call] == 1);
    call++
  od;
  locked = false;
  goto refused;

crashed:
  /* A power cut may take any of the records that were not synced, from the last on. */
  if
  :: skip
  :: do
     :: written > synced -> written--
     :: break
     od;
     synced = written
  fi;

stopped:
  locked = false;
  goto start;

refused:
  skip
}
