// The list of the prompt injection guard's rules, and two of them: hidden text and role forgery. The others are in rules/.
import { someMatchInSteps } from '../../platform/computation-steps.ts'
import type { InjectionRuleId } from './rule-ids.ts'
import { EMBEDDED_INSTRUCTION } from './rules/embedded-instruction.ts'
import { IMAGE_EXFILTRATION } from './rules/image-exfiltration.ts'
import { INSTRUCTION_OVERRIDE } from './rules/instruction-override.ts'
import { PROMPT_EXFILTRATION } from './rules/prompt-exfiltration.ts'
import type { InjectionRule } from './rules/injection-rule.ts'

const INVISIBLE = [
  // A flag has at most six such characters.
  /[\u{e0020}-\u{e007e}]{8}/gu,
  // Both overrides of the direction; the isolates and marks that right-to-left languages need are left alone.
  /[\u202d\u202e]/g,
  // Scripts that need a joiner never need eight in a row.
  /[\u180e\u200b-\u200d\u2060-\u2064\ufeff]{8}/g,
  /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{4}/gu,
]

/** Detects characters that a model reads and a person does not see. */
const HIDDEN_TEXT: InjectionRule = {
  says: 'The text holds characters that show as nothing or in another order, and can carry words: tag characters, overrides of the direction, runs without width.',
  holds: function* ({ prepared: { text, hasInvisible } }) {
    if (!hasInvisible) return false
    for (const each of INVISIBLE) if (yield* someMatchInSteps(text, each, 16)) return true
    return false
  },
}

/** Marks that the chat templates of open models write between turns. */
const TEMPLATE_TOKENS =
  /<\|(?:im_start|im_end|im_sep|system|user|assistant|end|endoftext|eot_id|eom_id|start_header_id|end_header_id|begin_of_text|end_of_text|python_tag|start|message|channel|return|constrain|call)\|>|\[\/?inst\]|<<\/?sys>>|<\/?start_of_turn>|<\/?end_of_turn>|<\|?\/?(?:start|end)_of_role\|?>/gi
const TAG = /<\/?(?:system|assistant|developer|system[_ -](?:prompt|message|instructions?|note|override)) ?>/gi
const HEADING = /(?:^|[.!?])[ \t]{0,3}#{1,4} ?(?:system|instruction|assistant|response)(?: (?:message|prompt))? ?:/gim
const MESSAGE = /["']role["'] ?: ?["'](?:system|developer|assistant)["']/gi
const SPEAKER = / (?:assistant|ai|chatgpt|model) : /g
/** A turn of the assistant, and within three lines a turn of somebody else. */
const TRANSCRIPT =
  /^(?:assistant|ai|chatgpt|model) ?:[^\n]{0,2000}\n(?:[^\n]{0,2000}\n){0,3}(?:user|human|system|developer) ?:/gim

/** Lengths in characters. No match but a transcript is longer than SHORT, and no transcript is longer than FOUR_LINES. */
const [SHORT, FOUR_LINES] = [64, 8_192]

/** Detects marks between turns, which make the words after them seem to be somebody else's. */
const ROLE_FORGERY: InjectionRule = {
  says: 'The text imitates a turn of the system or of the assistant: tokens of chat templates, headings, tags or a transcript.',
  holds: function* ({ prepared: { text, words }, fromTool }) {
    const has = (pattern: RegExp, reach = SHORT) => someMatchInSteps(text, pattern, reach)
    if ((text.includes('<') || text.includes('[')) && ((yield* has(TEMPLATE_TOKENS)) || (yield* has(TAG)))) return true
    if (text.includes('#') && (yield* has(HEADING))) return true
    const speaks = words.includes(':') && (yield* someMatchInSteps(words, SPEAKER, SHORT))
    if (speaks && (yield* has(TRANSCRIPT, FOUR_LINES))) return true
    return fromTool && (yield* has(MESSAGE))
  },
}

export const INJECTION_RULES: Readonly<Record<InjectionRuleId, InjectionRule>> = {
  instruction_override: INSTRUCTION_OVERRIDE,
  role_forgery: ROLE_FORGERY,
  prompt_exfiltration: PROMPT_EXFILTRATION,
  embedded_instruction: EMBEDDED_INSTRUCTION,
  image_exfiltration: IMAGE_EXFILTRATION,
  hidden_text: HIDDEN_TEXT,
}
