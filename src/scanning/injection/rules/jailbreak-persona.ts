// Prompt injection rule: the text asks the model to play a persona to which the model’s rules do not apply.
import { gap, splitList, oneOf, phrase, phrases, type InjectionRule } from './injection-rule.ts'

const BECOME = [
  ...splitList('act, acting, behave, respond, answer, speak, reply, play, roleplay, role play, pretend'),
  ...splitList('imagine, simulate, become, be, you are, youre, you have, you will be, assume the role'),
]
const LIMITS = [
  ...splitList('restrictions, restriction, guidelines, filters, limitations, censorship, constraints, safeguards'),
  ...splitList('guardrails, boundaries, inhibitions, policies, ethics, ethical, morals, morality'),
]
const LIMIT = oneOf([...LIMITS, 'filter', 'limits', 'rules', 'content policy', 'policy', 'moral', 'safety'])
const FREE = ['unrestricted', 'unfiltered', 'uncensored', 'amoral', 'jailbroken', 'unlimited', 'unbound', 'unshackled']
const MODELS = [
  'ai',
  'model',
  'assistant',
  'chatbot',
  'bot',
  'llm',
  'gpt',
  'chatgpt',
  'machine',
  'version',
  'language model',
]
const MODES = [
  'developer',
  'dev',
  'jailbreak',
  'god',
  'sudo',
  'unrestricted',
  'unfiltered',
  'uncensored',
  'dan',
  'evil',
  'chaos',
]
const ENTER = ['enter', 'enable', 'activate', 'switch to', 'switch into', 'go into', 'engage', 'unlock']

export const JAILBREAK_PERSONA: InjectionRule = {
  says: 'The text gives the model a role or a mode in which no rules hold, such as “DAN”.',
  words: [...LIMITS, ...FREE],
  phrases: phrases(
    phrase(['do anything now']),
    phrase(
      ['you are', 'youre', 'act as', 'be', 'become', 'play', 'called', 'named'],
      '(?: (?:now|a|an|the|going to be)){0,3} dan',
    ),
    phrase(
      MODES,
      ' mode(?: (?:is|has|been|now|was)){0,3} (?:on|enabled|activated|active|unlocked|engaged|:)(?! (?:on|in|for|of|my|the|a|an|this) )',
    ),
    phrase(ENTER, `(?: (?:the|a|an|your)){0,2} ${oneOf(MODES)} mode(?! (?:on|of|in|for) (?:my|the|a|an|this) )`),
    phrase(
      BECOME,
      `${gap(7)} (?:without|no|free of|free from|not bound by|unbound by|beyond|lacks?|ignores?)${gap(3)} ${LIMIT}`,
    ),
    phrase(BECOME, `${gap(6)} ${oneOf(FREE)}${gap(2)} ${oneOf(MODELS)}`),
    phrase(
      ['you', 'who', 'that', 'which', ...MODELS],
      '(?: (?:can|will|may|must|is|are))? (?:never|cannot|cant|not|wont) (?:refuses?|declines?|says? no)',
    ),
    phrase(['bound by', 'limited by', 'restricted by', 'constrained by'], ` (?:no|none of|neither)${gap(3)} ${LIMIT}`),
    phrase(['jailbreak'], ' (?:mode|on|activated|enabled)'),
  ),
}
