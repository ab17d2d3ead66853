import { gap, listed, oneOf, phrase, phrases } from './phrases.ts'
import type { Rule } from './rule.ts'

/** An address with a place in braces or brackets, which the model is to fill in. */
const MARKDOWN_IMAGE =
  /!\[[^\]\n]{0,200}\]\(\s{0,4}https?:[^)\s]{0,500}[?&/=#][^)\s]{0,200}(?:\{[^)\n]{1,80}\}|\[[^)\n]{1,80}\]|<[^)\n]{1,80}>|%7b)/i
const IMAGE_TAG = /<img\b[^<>]{0,800}/gi
const SOURCE = /\bsrc ?= ?["']?https?:[^\s"']{0,500}(?:[{[]|%7b)/i

const SECRET = oneOf([
  ...listed('conversation, chat history, chat, history, system prompt, prompt, messages?, passwords?, api keys?'),
  ...listed('secrets?, e mail address, email, personal data, answer'),
])
const ADDRESSES = [
  'url',
  'link',
  'image',
  'picture',
  'address',
  'query',
  'parameter',
  'http',
  'https',
  'markdown',
  'pixel',
]
const CARRY = ['append', 'add', 'put', 'insert', 'include', 'encode', 'attach', 'place', 'embed', 'send']

/** A page that shows the answer loads the picture, and the address takes the conversation along. */
export const IMAGE_EXFILTRATION: Rule = {
  says: 'The text holds or asks for a picture or a link whose address is to carry data of the conversation.',
  phrases: phrases(
    phrase(CARRY, `${gap(7)} ${SECRET}${gap(8)} ${oneOf(ADDRESSES)}`),
    phrase(ADDRESSES, `${gap(16)} (?:followed by|containing|with|appended|plus)${gap(5)} ${SECRET}`),
  ),
  holds: ({ reading: { text } }) =>
    (text.includes('![') && MARKDOWN_IMAGE.test(text)) || (text.match(IMAGE_TAG) ?? []).some((tag) => SOURCE.test(tag)),
}
