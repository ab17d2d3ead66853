// Tells what each kind of route does not take of a Messages request. Anthropic's own endpoint is sent the request as it came. Others
// are sent what they know: what has no bearing on what the model is told is left out and named, all else is refused by name.
import { isJsonObject } from '../../../platform/json.ts'
import { REFUSED_IN_USER, TOOL_EXTRAS } from '../../../providers/bedrock/native.ts'
import { unsupported, type Unsupported } from '../../../providers/failure.ts'
import type { Model } from '../../../providers/model-catalogue.ts'
import { providerNamed } from '../../../providers/provider-registry.ts'
import { refuseMember, type RouteJudgement } from '../../call/prepare-call.ts'
import type { WireMessages } from './messages-request.schema.ts'
import { isCustom, isSearch } from './translate-messages.ts'
import type { UnreadMember } from './unread-members.ts'

export type Sent = {
  readonly wire: WireMessages
  readonly unread: readonly UnreadMember[]
  readonly hasBetas: boolean
}

export function judgeRoute(sent: Sent, model: Model): RouteJudgement {
  const { takesNative } = providerNamed(model.provider).verbs.chat
  const fault =
    (takesNative === undefined ? null : faultOfThinking(sent, model)) ??
    (takesNative === 'whole' ? null : faultElsewhere(sent, model))
  const refused = fault && refuseMember(fault.param, fault.message)
  if (takesNative === 'whole')
    return { refused, leftOut: model.capabilities.systemTurns ? [] : systemTurns(sent, model) }
  const leftOut = [...leftOutElsewhere(sent, model), ...(takesNative === undefined ? leftOutByOthers(sent, model) : [])]
  return { refused, leftOut }
}

/** The models refuse this themselves, and a client would try six times. */
function faultOfThinking({ wire: { thinking } }: Sent, { id, capabilities: can }: Model): Unsupported | null {
  return thinking?.type === 'enabled' && can.reasoningEfforts.length > 0
    ? unsupported(
        'thinking.type',
        `${id} decides itself how much it thinks. Send adaptive, and an effort in output_config.`,
      )
    : null
}

const EXTRA = new RegExp(String.raw`^tools\[\d+\]\.(?:${TOOL_EXTRAS.join('|')})$`)
/** What a cache mark has beside its time, and how a conversation is shortened, are left out as a whole. */
const OF_LEFT_OUT = /\bcache_control\b|^context_management\b/

function faultElsewhere({ wire, unread }: Sent, { id, capabilities: can }: Model): Unsupported | null {
  // The search itself is refused, in words of its own.
  if (!can.webSearch && wire.tools?.some(isSearch) === true) return null
  const tool = wire.tools?.findIndex((one) => !isCustom(one) && !isSearch(one)) ?? -1
  if (tool !== -1)
    return unsupported(`tools[${tool}].type`, `${id} does not know this tool by this route. ${ELSEWHERE}`)
  const edit = wire.context_management?.edits?.findIndex(({ type }) => !type.startsWith('clear_thinking')) ?? -1
  if (edit !== -1)
    return unsupported(`context_management.edits[${edit}].type`, `${id} cannot do this by this route. ${ELSEWHERE}`)
  const odd = unread.find(({ path }) => !EXTRA.test(path) && !OF_LEFT_OUT.test(path))
  return odd === undefined
    ? null
    : unsupported(odd.path, `${id} has no counterpart of this member by this route. ${ELSEWHERE}`)
}

const ELSEWHERE = 'Leave it out, or use a model at Anthropic itself.'

function leftOutElsewhere(sent: Sent, model: Model): Unsupported[] {
  const { wire, unread, hasBetas } = sent
  const extra = unread.find(({ path }) => EXTRA.test(path))?.path
  const deferred = wire.tools?.findIndex(({ defer_loading: isDeferred }) => isDeferred === true) ?? -1
  const names = [
    hasBetas && 'anthropic-beta',
    wire.context_management && 'context_management',
    wire.thinking?.display && 'thinking.display',
    wire.service_tier && 'service_tier',
    wire.cache_control && 'cache_control',
    REFUSED_IN_USER.test(wire.metadata?.user_id ?? '') && 'metadata.user_id',
    extra,
    deferred !== -1 && `tools[${deferred}].defer_loading`,
  ]
  return [...names.flatMap((name) => (name ? [leftOut(name, model)] : [])), ...systemTurns(sent, model)]
}

const leftOut = (name: string, { id }: Model): Unsupported => unsupported(name, `${id} is not sent this by its route.`)

/** Instructions within the conversation are the user's words to a model that takes none there. The first one is named. */
function systemTurns({ wire }: Sent, { id, capabilities: can }: Model): Unsupported[] {
  const turn = can.systemTurns ? -1 : wire.messages.findIndex(({ role }) => role === 'system')
  return turn === -1 ? [] : [unsupported(`messages[${turn}].role`, `${id} reads it as the user’s, at its place.`)]
}

function leftOutByOthers({ wire }: Sent, model: Model): Unsupported[] {
  const thinking = wire.messages.findIndex(hasThoughts)
  const names = [
    wire.thinking?.type === 'between_tools' && 'thinking.type',
    thinking !== -1 && `messages[${thinking}].content`,
    !wire.cache_control && !model.capabilities.cacheMarks && isMarked(wire) && 'cache_control',
  ]
  return names.flatMap((name) => (name ? [leftOut(name, model)] : []))
}

const hasThoughts = ({ content }: WireMessages['messages'][number]): boolean =>
  Array.isArray(content) && content.some(({ type }) => type === 'thinking' || type === 'redacted_thinking')

const isMarked = (wire: WireMessages): boolean =>
  [wire.system, wire.tools, ...wire.messages.map(({ content }) => content)].some(
    (list) =>
      Array.isArray(list) && list.some((block: unknown) => isJsonObject(block) && Boolean(block['cache_control'])),
  )
