// Prompt injection rule: the text has marks between turns, which make the words after them seem to be somebody else's.
import { someMatchInSteps } from '../../../platform/computation-steps.ts'
import type { InjectionRule } from './injection-rule.ts'

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

export const ROLE_FORGERY: InjectionRule = {
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
