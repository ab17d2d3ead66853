// Searches a request's text for identifiers and prompt injections before its decision, if the policy asks for that, and redacts the
// request. The organisation's object gets the names of the findings. SECURITY: it never gets the text.
import type { ParsedKey } from '../../keys/key-format.ts'
import type { Scan } from '../../organisation/admit/record-chat.ts'
import type { AppContext } from '../../platform/context.ts'
import type { AppError } from '../../platform/errors.ts'
import { forEachMatchInSteps, runInSlices, SLICE_CHARACTERS, type Steps } from '../../platform/computation-steps.ts'
import { needsScan, type VersionedPolicy } from '../../policies/document/policy-document.ts'
import {
  actionOnInjection,
  rolesToScan,
  type PromptInjectionGuard,
} from '../../policies/rules/prompt-injection-guard.rule.ts'
import type { ChatRequest } from '../../providers/chat-request.ts'
import { findInjectionsInSteps } from '../../scanning/injection/find-injections.ts'
import { INJECTION_RULE_IDS, type InjectionRuleId } from '../../scanning/injection/rule-ids.ts'
import { readEscapes } from '../../scanning/identifiers/markup/json-text.ts'
import { TEXT_PLACES, textsOf, type RequestText, type Role } from '../../scanning/texts/request-texts.ts'
import { callError } from '../call/call-errors.ts'
import type { FairQueue } from '../call/fair-queue.ts'
import { outlineInput, type CallInput } from '../call/prepare-call.ts'
import type { ReservedMemory, MemoryPool } from '../memory/memory-pool.ts'
import { redactInSteps, type Redaction } from './redact-request.ts'
import { restoringAnswerFormat } from './restoring-answer-format.ts'

/** `input`: the call as it is sent to the provider. `scan`: null if nothing was scanned. */
export type ScannedRequest = { readonly input: CallInput; readonly scan: Scan | null }

type ScannerDeps = {
  queue: FairQueue
  pool: Pick<MemoryPool, 'enter' | 'limits'>
  /** Counts a call that is not run, and returns its error: a bad key or a limit outranks the fault. */
  refuse: (c: AppContext, key: ParsedKey, fault: AppError) => Promise<AppError>
}

/**
 * Returns a function that scans in slices and lets other calls run in between. It throws if the organisation has used up its
 * scans, or if the caller has left.
 */
export function createScanner({ queue, pool, refuse }: ScannerDeps) {
  /** Reserves memory for a text; null if there is none. Large bodies already have theirs. A text of one slice needs none. */
  function reserve(owner: string, { outline, textBytes }: CallInput): Pick<ReservedMemory, 'leave'> | null {
    if (outline.bytes > pool.limits.largeBytes || textBytes <= SLICE_CHARACTERS) return { leave: () => undefined }
    return pool.enter(owner, { bytes: outline.bytes, answers: 0 })
  }

  return async (
    c: AppContext,
    key: ParsedKey,
    input: CallInput,
    policy: VersionedPolicy | null,
  ): Promise<ScannedRequest> => {
    if (policy === null || !needsScan(policy.document)) return { input, scan: null }
    const owner = key.organisationId
    const holding = reserve(owner, input)
    if (holding === null) throw await refuse(c, key, callError('scans_waiting'))
    const waitMs = queue.take(owner, input.textBytes)
    if (waitMs > 0) {
      holding.leave()
      throw await refuse(c, key, callError('scans_used_up', { retryAfterSeconds: Math.ceil(waitMs / 1000) }))
    }
    const turns = queue.enter(owner)
    const { signal } = c.req.raw
    const nextTurn = async (): Promise<void> => {
      await turns.next()
      if (signal.aborted) throw await refuse(c, key, callError('caller_left'))
    }
    try {
      return await runInSlices(scanInSteps(input, policy), nextTurn)
    } finally {
      turns.leave()
      holding.leave()
    }
  }
}

export function* scanInSteps(input: CallInput, policy: VersionedPolicy | null): Steps<ScannedRequest> {
  if (policy === null || !needsScan(policy.document)) return { input, scan: null }
  const { pii_scan: pii, prompt_injection_guard: guard } = policy.document
  const texts = textsOf(input.request)
  const redaction = pii === undefined ? null : yield* redactInSteps(input.request, pii, texts)
  const injections = guard === undefined ? null : yield* scanTextsInSteps(texts, guard)
  const findings = {
    ...(redaction !== null && { pii_scan: redaction.counts, pii_fixed: redaction.fixed }),
    ...(injections !== null && { prompt_injection_guard: injections }),
  }
  const redacted = redaction?.redacted ?? 0
  // The next steps read the text once more.
  yield input.textBytes / 16
  return {
    input: redaction === null || redacted === 0 ? input : toRedactedInput(input, redaction),
    scan: { policy: policy.sha256, findings, redacted },
  }
}

/** Estimates the cost from the redacted request, because that is what the provider receives. */
const toRedactedInput = (input: CallInput, { request, values }: Redaction): CallInput => ({
  ...input,
  request: input.withTexts?.(request) ?? request,
  outline: { ...input.outline, ...outlineInput(request, input.outline.routes) },
  format: restoringAnswerFormat(input.format, values, isJsonWanted(request) ? 'json' : 'plain'),
})

export const isJsonWanted = ({ responseFormat }: ChatRequest): boolean => (responseFormat?.type ?? 'text') !== 'text'

/** A tool definition addresses the model that uses it, and a tool may well send messages with links. */
const NOT_IN_DEFINITIONS: ReadonlySet<InjectionRuleId> = new Set(['embedded_instruction', 'image_exfiltration'])

/** The fixed cost of each text, however short. */
const EACH_TEXT_COST = 32

/** Returns the ids of the rules that match, in the order of the list of rules. */
export function* scanTextsInSteps(
  texts: readonly RequestText[],
  guard: PromptInjectionGuard,
): Steps<InjectionRuleId[]> {
  const roles = rolesToScan(guard)
  const found = new Set<InjectionRuleId>()
  for (const one of texts) {
    const { injection } = TEXT_PLACES[one.place]
    if (injection === null || one.place === 'message_text' || !roles.includes(one.role)) continue
    const text = yield* wordsOf(one)
    const isDefinition = injection === 'definition'
    for (const id of yield* findInjectionsInSteps(text, one.role === 'tool' && !isDefinition)) {
      if (!isDefinition || !NOT_IN_DEFINITIONS.has(id)) found.add(id)
    }
    yield EACH_TEXT_COST
  }
  for (const { role, said } of runsOf(texts)) {
    if (!roles.includes(role)) continue
    const words: string[] = []
    for (const one of said) {
      words.push(yield* wordsOf(one))
      yield EACH_TEXT_COST
    }
    for (const text of joinRun(words)) {
      for (const id of yield* findInjectionsInSteps(text, role === 'tool')) found.add(id)
      yield EACH_TEXT_COST
    }
  }
  return INJECTION_RULE_IDS.filter((id) => found.has(id) && actionOnInjection(guard, id) !== 'ignore')
}

type TextRun = { readonly role: Role; readonly said: RequestText[] }

/**
 * Joins consecutive texts of one role to a run. All system texts are one run, and all developer texts another. Most providers
 * receive these apart from the messages, so a run of messages continues after them.
 */
function runsOf(texts: readonly RequestText[]): TextRun[] {
  const system: TextRun = { role: 'system', said: [] }
  const developer: TextRun = { role: 'developer', said: [] }
  const runs: TextRun[] = [system, developer]
  let open: TextRun | null = null
  for (const text of texts) {
    if (text.place === 'call_name') open = null
    if (text.place !== 'message_text' || text.text.trim() === '') continue
    const run: TextRun =
      text.role === 'system' ? system : text.role === 'developer' ? developer : runOf(open, text.role)
    run.said.push(text)
    if (run === system || run === developer) continue
    if (run !== open) runs.push(run)
    open = run
  }
  return runs
}

const runOf = (open: TextRun | null, role: Role): TextRun => (open?.role === role ? open : { role, said: [] })

const [ENDS_IN_WORD, BEGINS_WITH_WORD] = [/[\p{L}\p{N}]$/u, /^[\p{L}\p{N}]/u]

/** Joins texts with and without a gap, because a phrase or a word may continue in the next text. */
function joinRun(said: readonly string[]): string[] {
  if (said.length < 2) return [...said]
  const mayBreakWord = said.some(
    (text, at) => BEGINS_WITH_WORD.test(text) && ENDS_IN_WORD.test(said[at - 1]?.slice(-2) ?? ''),
  )
  return mayBreakWord ? [said.join('\n'), said.join('')] : [said.join('\n')]
}

/** Decodes a text as a reader understands it. Each string of a schema or of arguments is a sentence of its own. */
function* wordsOf({ place, form, text }: RequestText): Steps<string> {
  if (form === 'words') return text
  if (form === 'json' && place !== 'call_arguments') return yield* unescaped(text)
  const written: string[] = []
  yield* forEachMatchInSteps(text, STRING, ([, string = '']) => void written.push(string))
  const words: string[] = []
  for (const string of written) {
    words.push(yield* unescaped(string))
    yield 1
  }
  return words.join('\n\n')
}

function* unescaped(json: string): Steps<string> {
  return json.includes('\\') ? (yield* readEscapes(json)).text : json
}

const STRING = /"([^"\\]*(?:\\.[^"\\]*)*)"/gs
