// Prompt injection rule: the text asks for the system prompt. Attackers want its content, or a way to evade it.
import { gap, splitList, oneOf, phrase, phrases, type InjectionRule } from './injection-rule.ts'

const VERBATIM = ['repeat', 'print', 'output', 'copy', 'recite', 'echo', 'quote', 'reproduce', 'return', 'dump']
const ASK = [
  ...VERBATIM,
  ...splitList('reveal, show, display, leak, disclose, expose, paste, share, list, translate, send, spell'),
  ...splitList('tell me, tell us, give me, write, summarise, summarize, provide'),
]

const SECRET = oneOf([
  '(?:system|developer|initial|original|hidden|secret|base|starting|underlying|internal|confidential|pre|core)(?: [a-z]{1,16})? (?:prompts?|messages?|instructions?|rules|guidelines|directives|configuration|orders)',
  'preprompt',
])
const QUALITIES = '(?: (?:full|entire|complete|exact|whole|own|original|very|first|secret|hidden|current)){0,3}'

const YOU_GOT = oneOf([
  'you were',
  'you have been',
  'you are',
  'you got',
  'you received',
  'your developers?',
  'you started',
])

export const PROMPT_EXFILTRATION: InjectionRule = {
  says: 'The text asks for the system prompt, or for other instructions that the model was given.',
  phrases: phrases(
    phrase(ASK, `${gap(5)} (?:your|the|this|its)${QUALITIES} ${SECRET}`),
    phrase(ASK, `${gap(3)} your (?:prompt|instructions|guidelines|configuration|programming|rules)`),
    phrase(ASK, `${gap(4)} (?:prompt|instructions|rules|guidelines|message)(?: (?:that|which))? ${YOU_GOT}`),
    phrase(
      ['what', 'which'],
      `${gap(2)} (?:is|are|was|were|does|do|says?)${gap(2)} your (?:prompt|instructions|programming|${SECRET})`,
    ),
    phrase(
      ['what', 'which'],
      `${gap(3)} (?:were|have|are|did) you (?:been )?(?:told|given|instructed|get|receive|programmed)${gap(5)} (?:before|beginning|start|started|initially|conversation|chat|system|developers?|operator)`,
    ),
    phrase(
      VERBATIM,
      `${gap(3)} (?:everything|all|prompt|instructions|messages?)(?: of)?(?: (?:that|which))?(?: (?:is|was|came|comes|stands))? (?:above|before this)`,
    ),
    phrase(
      VERBATIM,
      `${gap(3)} (?:text|words|lines?|contents?) (?:above|before this)${gap(6)} (?:verbatim|word for word|code block|exactly|starting with|beginning with)`,
    ),
    phrase(
      ['start', 'starting', 'starts', 'begin', 'beginning', 'begins'],
      ' with(?: the words?| the phrase)? you are (?!a |an |the |my |our )[a-z0-9.:]{1,24}',
    ),
  ),
}
