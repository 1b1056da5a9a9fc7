import { parseSync, Visitor } from 'oxc-parser'

/** A change of a few characters that alters what a file does. */
export interface Mutant {
  readonly start: number
  readonly end: number
  readonly text: string
  /** Line of `start`, from 1. */
  readonly line: number
}

const SWAPPED: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
}

/** Methods without which a chain has the same type. */
const DROPPED = new Set(['filter', 'sort', 'toSorted', 'reverse', 'toReversed', 'trim', 'slice'])

/** Returns all mutants of a TypeScript file, by position. */
export function mutantsOf(file: string, source: string): Mutant[] {
  const mutants: Mutant[] = []
  const add = (start: number, end: number, text: string) =>
    mutants.push({ start, end, text, line: source.slice(0, start).split('\n').length })
  const negate = ({ start, end }: { start: number; end: number }) => add(start, end, `!(${source.slice(start, end)})`)
  const swap = (node: { left: { end: number }; right: { start: number }; operator: string }) => {
    const text = SWAPPED[node.operator]
    const start = source.indexOf(node.operator, node.left.end)
    if (text !== undefined && start < node.right.start) add(start, start + node.operator.length, text)
  }
  new Visitor({
    BinaryExpression: swap,
    LogicalExpression: swap,
    IfStatement: ({ test }) => negate(test),
    ConditionalExpression: ({ test }) => negate(test),
    UnaryExpression({ operator, start, argument }) {
      if (operator === '!') add(start, argument.start, '')
    },
    Literal({ value, start, end }) {
      if (typeof value === 'boolean') add(start, end, String(!value))
      if (typeof value === 'number') add(start, end, String(value + 1))
    },
    ExpressionStatement({ start, end, expression }) {
      if (['CallExpression', 'AssignmentExpression', 'UpdateExpression'].includes(expression.type)) add(start, end, '')
    },
    CallExpression({ callee, end }) {
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return
      if (DROPPED.has(callee.property.name)) add(callee.object.end, end, '')
    },
  }).visit(parseSync(file, source).program)
  return mutants.filter(changesCode(source)).sort((a, b) => a.start - b.start)
}

const transpiler = new Bun.Transpiler({ loader: 'ts' })

/** Excludes mutants inside types, which change nothing at run time, and those that are no program. */
function changesCode(source: string): (mutant: Mutant) => boolean {
  const before = compile(source)
  return ({ start, end, text }) => {
    const after = compile(source.slice(0, start) + text + source.slice(end))
    return after !== undefined && after !== before
  }
}

function compile(source: string): string | undefined {
  try {
    return transpiler.transformSync(source)
  } catch {
    return undefined
  }
}
