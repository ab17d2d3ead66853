// Which rules the messages of a request meet. Pictures and files are not read.
import type { Message } from '../../providers/request.ts'
import { findInjections } from './find-injections.ts'
import { INJECTION_RULE_IDS, type InjectionRuleId } from './rules.ts'

export type ReadRole = Message['role']

/** What those write who are not to instruct the model: the people who use it, and the tools it has called. */
export const ROLES_READ_BY_DEFAULT: readonly ReadRole[] = ['user', 'tool']

/** In the order of the list of rules. */
export function scanMessages(messages: readonly Message[], roles: readonly ReadRole[]): InjectionRuleId[] {
  const found = new Set<InjectionRuleId>()
  for (const { role, content } of messages) {
    if (!roles.includes(role)) continue
    // A phrase may go on in the next part of a message.
    const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
    for (const id of findInjections(text, role === 'tool')) found.add(id)
  }
  return INJECTION_RULE_IDS.filter((id) => found.has(id))
}
