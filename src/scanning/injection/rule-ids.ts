// The ids of the prompt injection guard's rules. Policy documents and the log contain them, so no id ever changes.

export const INJECTION_RULE_IDS = [
  'instruction_override',
  'role_forgery',
  'prompt_exfiltration',
  'embedded_instruction',
  'image_exfiltration',
  'hidden_text',
] as const

export type InjectionRuleId = (typeof INJECTION_RULE_IDS)[number]
