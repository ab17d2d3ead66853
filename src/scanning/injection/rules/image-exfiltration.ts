// Prompt injection rule: an image whose URL carries the conversation away when a page that shows the answer loads it.
import { someMatchInSteps } from '../../../platform/computation-steps.ts'
import { gap, splitList, oneOf, phrase, phrases, type InjectionRule } from './injection-rule.ts'

/** Ends right before the first character of the URL. */
const MARKDOWN_IMAGE = /!\[[^\]\n]{0,200}\]\(\s{0,4}https?:/gi
/** Matches a blank in braces or brackets, which the model is to fill in. */
const BLANK_TO_FILL = /\{[^)\n]{1,80}\}|\[[^)\n]{1,80}\]|<[^)\n]{1,80}>|%7b/iy
/** How far into a URL its last mark (? & / = #) may be, and how far behind this mark a blank to fill in. */
const [MOST_TO_MARK, MOST_BEHIND_MARK] = [500, 200]
const [IS_MARK, ENDS_ADDRESS] = [/[?&/=#]/, /[)\s]/]
/** No image or tag is longer. */
const REACH = 1_024

const IMAGE_TAG = /<img\b[^<>]{0,800}/gi
const SOURCE = /\bsrc ?= ?["']?https?:[^\s"']{0,500}(?:[{[]|%7b)/i

const SECRET = oneOf([
  ...splitList('conversation, chat history, chat, history, system prompt, prompt, messages?, passwords?, api keys?'),
  ...splitList('secrets?, e mail address, email, personal data, answer'),
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
const CARRY_VERBS = ['append', 'add', 'put', 'insert', 'include', 'encode', 'attach', 'place', 'embed', 'send']

export const IMAGE_EXFILTRATION: InjectionRule = {
  says: 'The text contains or asks for a picture or a link whose address is to carry data of the conversation.',
  phrases: phrases(
    phrase(CARRY_VERBS, `${gap(7)} ${SECRET}${gap(8)} ${oneOf(ADDRESSES)}`),
    phrase(ADDRESSES, `${gap(16)} (?:followed by|containing|with|appended|plus)${gap(5)} ${SECRET}`),
  ),
  holds: function* ({ prepared: { text } }) {
    if (text.includes('![') && (yield* someMatchInSteps(text, MARKDOWN_IMAGE, REACH, createBlankCheck()))) return true
    return yield* someMatchInSteps(text, IMAGE_TAG, REACH, ([tag]) => SOURCE.test(tag))
  },
}

function isBlankToFill(text: string, at: number): boolean {
  BLANK_TO_FILL.lastIndex = at
  return BLANK_TO_FILL.test(text)
}

/** Returns a check of one image's URL. URLs overlap in a hostile text, so each offset of a searched part is tested once. */
function createBlankCheck(): (image: RegExpExecArray) => boolean {
  let lastInput = ''
  let cache = new Map<number, boolean>()
  return ({ 0: { length }, index, input }) => {
    if (input !== lastInput) {
      lastInput = input
      cache = new Map()
    }
    const start = index + length
    let mark = -Infinity
    for (let at = start; at < input.length && !ENDS_ADDRESS.test(input.charAt(at)); at += 1) {
      if (at <= start + MOST_TO_MARK && IS_MARK.test(input.charAt(at))) mark = at
      else if (at - mark > MOST_BEHIND_MARK + 1) {
        if (at > start + MOST_TO_MARK) return false
      } else if ('{[<%'.includes(input.charAt(at))) {
        const isBlank = cache.get(at) ?? isBlankToFill(input, at)
        cache.set(at, isBlank)
        if (isBlank) return true
      }
    }
    return false
  }
}
