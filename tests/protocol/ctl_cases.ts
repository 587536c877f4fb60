/** The rules of CTL as a table. */
import type { CtlCase } from "./ctl_case.ts";
import { ENDS } from "./ctl_cases_ends.ts";
import { FAULTS } from "./ctl_cases_faults.ts";
import { FORMS } from "./ctl_cases_forms.ts";

export const CTL_CASES: readonly CtlCase[] = [...FORMS, ...ENDS, ...FAULTS];
