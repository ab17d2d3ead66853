import type { Rule } from './rule.ts'

/** What chat templates of open models write between turns. */
const TEMPLATE_TOKENS =
  /<\|(?:im_start|im_end|im_sep|system|user|assistant|end|endoftext|eot_id|eom_id|start_header_id|end_header_id|begin_of_text|end_of_text|python_tag|start|message|channel|return|constrain|call)\|>|\[\/?inst\]|<<\/?sys>>|<\/?start_of_turn>|<\/?end_of_turn>|<\|?\/?(?:start|end)_of_role\|?>/i
const TAG = /<\/?(?:system|assistant|developer|system[_ -](?:prompt|message|instructions?|note|override)) ?>/i
const HEADING = /(?:^|[.!?])[ \t]{0,3}#{1,4} ?(?:system|instruction|assistant|response)(?: (?:message|prompt))? ?:/im
const MESSAGE = /["']role["'] ?: ?["'](?:system|developer|assistant)["']/i
/** A turn of the assistant, and within three lines one of somebody else. */
const TRANSCRIPT =
  /^(?:assistant|ai|chatgpt|model) ?:[^\n]{0,2000}\n(?:[^\n]{0,2000}\n){0,3}(?:user|human|system|developer) ?:/im

/** The text writes what parts the turns of a conversation, so that what follows seems to be somebody else's. */
export const ROLE_FORGERY: Rule = {
  says: 'The text imitates a turn of the system or of the assistant: tokens of chat templates, headings, tags or a transcript.',
  holds: ({ reading: { text, words }, fromTool }) =>
    ((text.includes('<') || text.includes('[')) && (TEMPLATE_TOKENS.test(text) || TAG.test(text))) ||
    (text.includes('#') && HEADING.test(text)) ||
    (words.includes(':') && / (?:assistant|ai|chatgpt|model) : /.test(words) && TRANSCRIPT.test(text)) ||
    (fromTool && MESSAGE.test(text)),
}
