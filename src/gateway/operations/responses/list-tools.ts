// Lists the tools of a Responses request under the names that providers get. Providers know no namespaces: the tools of one are
// sent as `namespace__name`, and calls of them are named back.
import { sha256Hex } from '../../../platform/sha256.ts'
import type { AppError } from '../../../platform/errors.ts'
import type { Tool } from '../../../providers/chat-request.ts'
import { toTool } from '../chat/translate-chat-request.ts'
import { refuseMember } from '../../call/prepare-call.ts'
import type { WireItem } from './input-item.schema.ts'
import { MAX_TOOLS, type WireTool } from './tool.schema.ts'

/** A tool's name as the caller knows it. */
export type ToolName = { readonly name: string; readonly namespace?: string | undefined }

/** `path`: the member that declares it. `caller`: its name there. `about`: the description of its namespace. */
type ListedTool = {
  readonly path: string
  readonly caller: ToolName
  readonly tool: Tool
  readonly about?: string | undefined
}
type WebSearchTool = Extract<WireTool, { search_context_size?: unknown }>
type ListedSearch = { readonly path: string; readonly tool: WebSearchTool }

export type ListedTools = { readonly tools: readonly ListedTool[]; readonly searches: readonly ListedSearch[] }

type Declared = {
  readonly tools?: readonly WireTool[] | null | undefined
  readonly input: string | readonly WireItem[]
}

/** Returns the error for two tools that would be sent under one name. */
export function listTools({ tools: own, input }: Declared): ListedTools | AppError {
  const tools = new Map<string, ListedTool>()
  const searches: ListedSearch[] = []
  const lists = [{ path: 'tools', declared: own ?? [] }, ...(typeof input === 'string' ? [] : addedTools(input))]
  for (const { path: listPath, declared } of lists) {
    const seen = new Set<string>()
    for (const [at, wire] of declared.entries()) {
      const path = `${listPath}[${at}]`
      if (isWebSearch(wire)) searches.push({ path, tool: wire })
      for (const listed of functionsOf(wire, path)) {
        const { name } = listed.tool
        const before = tools.get(name)
        if (seen.has(name) || (before !== undefined && before.caller.namespace !== listed.caller.namespace)) {
          return refuseMember(`${listed.path}.name`, `Another tool is sent as ${name}. Give one of them another name.`)
        }
        seen.add(name)
        tools.set(name, listed)
      }
    }
  }
  if (tools.size > MAX_TOOLS) return refuseMember('tools', `At most ${MAX_TOOLS} tools can be sent. Leave some out.`)
  return { tools: [...tools.values()], searches }
}

/** A later item replaces the tools of an earlier one that have the same name. */
const addedTools = (input: readonly WireItem[]) =>
  [...input.entries()].flatMap(([at, item]) =>
    item.type === 'additional_tools' ? [{ path: `input[${at}].tools`, declared: item.tools }] : [],
  )

function functionsOf(wire: WireTool, path: string): ListedTool[] {
  if (isWebSearch(wire)) return []
  if (wire.type !== 'namespace') return [{ path, caller: { name: wire.name }, tool: toFunction(wire) }]
  const { name: namespace, description: about } = wire
  return wire.tools.map((tool, at) => {
    const caller = { name: tool.name, namespace }
    return { path: `${path}.tools[${at}]`, caller, tool: toFunction(tool, sentName(caller)), about: about || undefined }
  })
}

function toFunction(wire: Extract<WireTool, { type: 'function' | 'custom' }>, name = wire.name): Tool {
  if (wire.type === 'function') return Object.assign(toTool(wire), { name })
  const { description, format } = wire
  return { name, description: description ?? undefined, custom: { format: format ?? undefined } }
}

/** Returns the tools as they are sent. The first one of a namespace tells what the namespace is about, so that it is sent once. */
export function sentTools(tools: readonly ListedTool[]): Tool[] {
  const told = new Set<string>()
  return tools.map(({ tool, about, caller: { namespace } }) => {
    const text = `${namespace} ${about}`
    if (about === undefined || told.has(text)) return tool
    told.add(text)
    const description = [about, tool.description].filter(Boolean).join('\n\n')
    return Object.assign({}, tool, { description })
  })
}

type NamedTool = { readonly type: 'function' | 'custom'; readonly name: string }

/** Returns the tools that a choice names: the one that is sent under the name, or else those that have it in a namespace. */
export function findNamed(tools: readonly ListedTool[], { type, name }: NamedTool): readonly ListedTool[] {
  const ofKind = tools.filter(({ tool }) => (tool.custom !== undefined) === (type === 'custom'))
  const exact = ofKind.filter(({ tool }) => tool.name === name)
  return exact.length > 0 ? exact : ofKind.filter(({ caller }) => caller.name === name)
}

const isWebSearch = (tool: WireTool): tool is WebSearchTool =>
  tool.type !== 'function' && tool.type !== 'custom' && tool.type !== 'namespace'

/** Returns a function from the name that a provider got to the caller's own. */
export function namesBack({ tools }: ListedTools): (sent: string) => ToolName {
  const names = new Map(tools.flatMap(({ tool, caller }) => (caller.namespace ? [[tool.name, caller] as const] : [])))
  return (sent) => names.get(sent) ?? { name: sent }
}

const MOST_CHARACTERS = 64
const HASH_DIGITS = 8

/** Returns the name that a provider gets, at most 64 characters long. */
export function sentName({ name, namespace }: { name: string; namespace?: string | null | undefined }): string {
  if (!namespace) return name
  const whole = `${namespace}__${name}`
  if (whole.length <= MOST_CHARACTERS) return whole
  return `${whole.slice(0, MOST_CHARACTERS - HASH_DIGITS - 1)}_${sha256Hex(whole).slice(0, HASH_DIGITS)}`
}
