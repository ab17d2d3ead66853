// What nothing here can show: a person may make a dated statement, which is listed and never counts.
import type { ControlDefinition } from './control.ts'

const needsAPerson = (id: string, title: string, sources: readonly string[], reason: string): ControlDefinition => ({
  id,
  title,
  weight: 0,
  sources,
  query: 'Nothing in this service tells. A statement of a person, where there is one, is listed beside the checklist.',
  wouldPass: 'It is never scored. A person may make a dated statement: PUT /api/compliance/statements/{subject}.',
  link: '/api/compliance/statements',
  judge: () => ({ state: 'needs_a_person', values: null, reason }),
})

export const PEOPLE_CONTROLS: readonly ControlDefinition[] = [
  needsAPerson(
    'X1',
    'People know the system: literacy, instructions for use, training',
    ['AI Act 4', 'AI Act 13', 'AI Act 26'],
    'Only people can say who was trained, in what, and which instructions they have.',
  ),
  needsAPerson(
    'X2',
    'The impact on data protection is assessed',
    ['GDPR 35'],
    'The assessment is a document of the organisation’s own.',
  ),
  needsAPerson(
    'X3',
    'The impact on fundamental rights is assessed',
    ['AI Act 27'],
    'The assessment is a document of the organisation’s own.',
  ),
  needsAPerson(
    'X4',
    'A risk file is kept',
    ['ISO 14971', 'IEC 62304'],
    'The risk file, and the software of which models are a part, are outside this service.',
  ),
]
