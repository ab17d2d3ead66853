// Collects the sentences that sources write for people: error messages and mails. A template is one text with `…` for each value.
import { globSync, readFileSync } from 'node:fs'
import { type ESTree, parseSync } from 'vite'

/** `isMessage`: the text is the message of an error, so it must be whole sentences. */
export type MessageText = { file: string; line: number; text: string; isMessage: boolean }

/** A value in a template. It counts as one word. */
export const VALUE = '…'

/** Errors with messages for people. Other errors are for developers. */
const ERRORS = /^(?:AppError|(?:Verify)?UsageError|OperatorError|SourceError)$/

/** Members, constants and calls that describe the API in the OpenAPI document, and the help of a command. */
const DESCRIBING_MEMBERS = /^(?:description|acknowledgement|summary|example|route|\d{3})$/
const DESCRIBING_CONSTANTS = /DESCRIPTION$|Description$|HELP$|USAGE$/
const DESCRIBING_CALLS = /^(?:describe|meta|openapi|header|textHeader|traceHeader|\w*Response|withCsv)$/

/** Two words at least, to a full stop. */
const SENTENCE = /^[\w…“].*\s.*\.$/s

type Node = ESTree.Node

/** Returns the texts of the files in `folder` that match none of `except`, which are beginnings of paths. */
export function collectMessageTexts(folder: string, except: readonly string[] = []): MessageText[] {
  return globSync(`${folder}/**/*.{ts,mjs}`)
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !except.some((beginning) => path.startsWith(beginning)) && !path.endsWith('.schema.ts'))
    .toSorted()
    .flatMap((path) => messageTextsOf(path, readFileSync(path, 'utf8')))
}

/** @param path the file's path, by which its language is known */
export function messageTextsOf(path: string, source: string): MessageText[] {
  const texts: MessageText[] = []
  const { program, errors } = parseSync(path, source)
  if (errors.length > 0) throw new Error(`${path} does not parse`)

  function visit(node: Node, isMessage: boolean): void {
    if (describesApi(node)) return
    const text = textOf(node)
    if (text !== null && (isMessage || SENTENCE.test(text))) {
      texts.push({ file: path, line: source.slice(0, node.start).split('\n').length, text, isMessage })
    }
    // The strings of a concatenation are parts of its text. Those in the values of a template are texts of their own.
    if (text !== null && node.type === 'BinaryExpression') return
    for (const child of childrenOf(node)) visit(child, isMessageOf(node, child, isMessage))
  }

  visit(program, false)
  return texts
}

/** Returns true if `child` is the message of an error, or one of its alternatives. */
function isMessageOf(node: Node, child: Node, isMessage: boolean): boolean {
  if (node.type === 'NewExpression') {
    const name = nameOf(node.callee)
    return ERRORS.test(name) && node.arguments.indexOf(child as never) === (name === 'AppError' ? 1 : 0)
  }
  return isMessage && node.type === 'ConditionalExpression' && child !== node.test
}

function describesApi(node: Node): boolean {
  if (node.type === 'Property') return DESCRIBING_MEMBERS.test(nameOf(node.key))
  if (node.type === 'VariableDeclarator') return DESCRIBING_CONSTANTS.test(nameOf(node.id))
  if (node.type === 'ImportDeclaration' || node.type === 'TSLiteralType') return true
  return node.type === 'CallExpression' && DESCRIBING_CALLS.test(nameOf(node.callee))
}

function nameOf(node: Node): string {
  if (node.type === 'Identifier') return node.name
  if (node.type === 'Literal') return String(node.value)
  return node.type === 'MemberExpression' ? nameOf(node.property) : ''
}

/** Returns the text of a string, a template or a concatenation; null for anything else. */
function textOf(node: Node): string | null {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : null
  if (node.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked ?? '').join(VALUE)
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return null
  const [left, right] = [textOf(node.left), textOf(node.right)]
  return left === null && right === null ? null : `${left ?? VALUE}${right ?? VALUE}`
}

function childrenOf(node: Node): Node[] {
  return Object.values(node).flat().filter(isNode)
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
