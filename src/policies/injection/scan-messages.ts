// Which rules the messages of a request meet, of those that a policy does not ignore. Pictures and files are not read.
import type { Message } from '../../providers/request.ts'
import { runSteps, type Steps } from '../../platform/steps.ts'
import { actionOnInjection, rolesRead, type PromptInjectionGuard } from '../document/prompt-injection-guard.policy.ts'
import { findInjections } from './find-injections.ts'
import { INJECTION_RULE_IDS, type InjectionRuleId } from './rules.ts'

/** In the order of the list of rules. */
export const scanMessages = (messages: readonly Message[], guard: PromptInjectionGuard): InjectionRuleId[] =>
  runSteps(scanMessagesInSteps(messages, guard))

/** A message a step. */
export function* scanMessagesInSteps(
  messages: readonly Message[],
  guard: PromptInjectionGuard,
): Steps<InjectionRuleId[]> {
  const roles = rolesRead(guard)
  const found = new Set<InjectionRuleId>()
  for (const { role, content } of messages) {
    if (!roles.includes(role)) continue
    // A phrase may go on in the next part of a message.
    const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
    for (const id of findInjections(text, role === 'tool')) found.add(id)
    yield text.length
  }
  return INJECTION_RULE_IDS.filter((id) => found.has(id) && actionOnInjection(guard, id) !== 'ignore')
}
