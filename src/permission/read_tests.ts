/** The conditions of `[[ … ]]`: those that only look. */
import type { TestExpression } from "unbash";
import { doubt, type Reading } from "./reading.ts";
import { readWord } from "./read_words.ts";
import { literal, type Test } from "./shell_syntax.ts";

const UNARY = /^-[abcdefghkprstuwxzGLNOSn]$/;
const BINARY = /^(==?|!=|<|>|-nt|-ot|-ef)$/;
/** These evaluate both sides as arithmetic, where a variable's value may hold a command. */
const NUMERIC = /^-(eq|ne|lt|le|gt|ge)$/;

/** The condition that `node` is; an operator that evaluates its words is a doubt. */
export function readTest(node: TestExpression, reading: Reading): Test {
  switch (node.type) {
    case "TestUnary": {
      const operand = readWord(node.operand, reading);
      if (!UNARY.test(node.operator)) doubt(reading, `the condition "${node.operator}"`);
      return { kind: "unary", operator: node.operator, operand };
    }
    case "TestBinary": {
      const left = readWord(node.left, reading);
      const right = readWord(node.right, reading);
      const numbers = [left, right].every((word) => /^-?\d+$/.test(literal(word) ?? ""));
      if (!BINARY.test(node.operator) && !(NUMERIC.test(node.operator) && numbers)) {
        doubt(reading, `the condition "${node.operator}"`);
      }
      return { kind: "binary", operator: node.operator, left, right };
    }
    case "TestLogical":
      return {
        kind: "logical",
        operator: node.operator,
        operands: node.operands.map((operand) => readTest(operand, reading)),
      };
    case "TestNot":
      if (node.negations.length !== 1) doubt(reading, "a doubled negation");
      return { kind: "not", operand: readTest(node.operand, reading) };
    case "TestGroup":
      return { kind: "group", operand: readTest(node.expression, reading) };
  }
}
