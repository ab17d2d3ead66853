// The stated rules of the prompt injection guard. Their ids stand in policy documents and in the ledger: none is renamed.
import { EMBEDDED_INSTRUCTION } from './rules/embedded-instruction.ts'
import { ENCODED_INSTRUCTION } from './rules/encoded-instruction.ts'
import { HIDDEN_TEXT } from './rules/hidden-text.ts'
import { IMAGE_EXFILTRATION } from './rules/image-exfiltration.ts'
import { INSTRUCTION_OVERRIDE } from './rules/instruction-override.ts'
import { JAILBREAK_PERSONA } from './rules/jailbreak-persona.ts'
import { PROMPT_EXFILTRATION } from './rules/prompt-exfiltration.ts'
import { ROLE_FORGERY } from './rules/role-forgery.ts'
import type { Rule } from './rules/rule.ts'

export const INJECTION_RULE_IDS = [
  'instruction_override',
  'role_forgery',
  'prompt_exfiltration',
  'jailbreak_persona',
  'embedded_instruction',
  'image_exfiltration',
  'encoded_instruction',
  'hidden_text',
] as const

export type InjectionRuleId = (typeof INJECTION_RULE_IDS)[number]

export const INJECTION_RULES: Readonly<Record<InjectionRuleId, Rule>> = {
  instruction_override: INSTRUCTION_OVERRIDE,
  role_forgery: ROLE_FORGERY,
  prompt_exfiltration: PROMPT_EXFILTRATION,
  jailbreak_persona: JAILBREAK_PERSONA,
  embedded_instruction: EMBEDDED_INSTRUCTION,
  image_exfiltration: IMAGE_EXFILTRATION,
  encoded_instruction: ENCODED_INSTRUCTION,
  hidden_text: HIDDEN_TEXT,
}
