// Prompt injection rule: a document or a tool’s result gives instructions to the model that reads it.
import { someMatchInSteps } from '../../../platform/computation-steps.ts'
import { gap, splitList, oneOf, phrase, phrases, type InjectionRule } from './injection-rule.ts'

const KINDS = ['models', 'model', 'systems', 'system', 'assistants', 'assistant', 'agents', 'agent', 'tools', 'readers']
const MODELS = [
  ...KINDS.map((kind) => `ai ${kind}`),
  ...splitList('ai, ais, llm, llms, language model, language models, assistant, assistants, chatbot, chatbots'),
  ...splitList('chatgpt, bot, bots, agent, agents, artificial intelligence'),
  ...splitList('automated system, automated systems, automated reader, automated readers, automated agents'),
]
const MODEL = oneOf(MODELS)
const READING = oneOf([
  ...splitList('reading, processing, summarising, summarizing, analysing, analyzing, parsing, reviewing'),
  ...splitList('evaluating, reads, read, processes, process, summarises, summarizes'),
])
const MUST = oneOf(['must', 'should', 'shall', 'is to', 'are to', 'has to', 'have to', 'needs? to', 'please'])
const ACTION = oneOf([
  ...splitList('call, run, execute, invoke, send, use, open, visit, delete, transfer, forward, export'),
  ...splitList('fetch, upload, download, email, say, write, tell, answer, reply, ignore, include, add'),
  ...splitList('recommend, rate, mark, approve, praise'),
])
const NOTE = [
  'note',
  'notice',
  'message',
  'memo',
  'attention',
  'warning',
  'important',
  'instruction',
  'instructions',
  'reminder',
  'request',
  'dear',
  'hello',
  'hey',
]
const OFFICES = ['system', 'admin', 'administrator', 'developer', 'operator']

/** Matches an HTML comment to a model, which nobody sees. It has at most 50 characters. */
const COMMENT =
  /<!-{2}\s{0,8}(?:attention |note to |dear |hey )?(?:the )?(?:ai|llm|assistant|agent|model|chatgpt|chatbot)\b/gi

export const EMBEDDED_INSTRUCTION: InjectionRule = {
  says: 'A document addresses the model that reads it, or the result of a tool tells it what to do.',
  phrases: phrases(
    phrase(
      ['if you', 'when you', 'in case you'],
      ` (?:are|re|happen to be)(?: (?:a|an|the|any|some|kind|of)){0,4} ${MODEL}${gap(2)} (?:reading|processing|or|and|then|[.:]|${ACTION})`,
    ),
    phrase(
      NOTE,
      `(?: ${oneOf(NOTE)})?(?: (?:to|for|of))?(?: (?:any|all|the|every|other|large|this)){0,3} ${MODEL}(?: ${READING} (?:this|it|the above))? :`,
    ),
    phrase(MODELS, `(?: (?:who|that|which|is|are|currently)){0,2} ${READING} (?:this|the|these)${gap(3)} ${MUST}`),
  ),
  // A user may well ask for this; a tool's result never does.
  phrasesInResults: phrases(
    phrase(
      MODELS,
      ' (?:must|should|shall|has to|have to|is to|are to|is required to|is instructed to|needs to) [a-z]{2,24}',
    ),
    phrase(
      ['when', 'after', 'once', 'as soon as', 'before', 'if'],
      ` (?:you|having|reading|answering|replying|responding|continuing)${gap(6)} ${ACTION}`,
    ),
    phrase(
      ['you must', 'you should', 'you have to', 'you need to', 'please'],
      `(?: (?:now|immediately|also|first|next|then)){0,2} (?:call|run|execute|invoke|use) [a-z0-9]{2,24}`,
    ),
    phrase(['call', 'run', 'execute', 'invoke', 'use'], `(?: (?:the|a|your|this))?${gap(2)} (?:tool|function)`),
    phrase(
      ['do not', 'dont', 'never', 'without'],
      `(?: ever)? (?:tell|telling|inform|informing|mention|mentioning|alert|alerting|warn|warning)${gap(4)} (?:user|users|human|customer|owner|anyone|anybody)`,
    ),
    phrase(
      ['begin', 'start', 'end', 'finish'],
      `(?: every| each)? your (?:summary|answer|reply|response|review|output)${gap(2)} with`,
    ),
    phrase(MODELS, ' :'),
    phrase(OFFICES, ' (?:message|notice|note|alert|instructions?|override|update|command) :'),
  ),
  holds: function* ({ prepared: { text } }) {
    return text.includes('<!-') && (yield* someMatchInSteps(text, COMMENT, 64))
  },
}
