// The form of an answer whose request went without some of its values: they are put back wherever the model names them. Such
// an answer is written anew from what it says, since what a provider adds of its own may name them too.
import { createRestorer, type Restorer, type TextForm } from '../../scanning/redaction/placeholders.ts'
import type { Answer } from '../../providers/answer.ts'
import { createRestoringWriter } from '../stream/restoring-writer.ts'
import type { AnswerForm } from './answer-form.ts'

/**
 * @param values by placeholder
 * @param textForm of what the model says
 */
export const restoringForm = (
  form: AnswerForm,
  values: ReadonlyMap<string, string>,
  textForm: TextForm,
): AnswerForm => ({
  route: form.route,
  renew: (...given) => form.renew(...given),
  memberName: (path) => form.memberName(path),
  present: (call, { answer }, told) => {
    const restored = restoreAnswer(answer, createRestorer(values), textForm)
    return form.present(call, { answer: restored, standardBody: null }, told)
  },
  createWriter: (call) => {
    const writer = createRestoringWriter(form.createWriter(call, false), createRestorer(values), textForm)
    const heldOfValues = bytesOf(values)
    return { ...writer, heldBytes: () => writer.heldBytes() + heldOfValues }
  },
})

const CHARACTER_BYTES = 2

const bytesOf = (values: ReadonlyMap<string, string>): number =>
  [...values.values()].reduce((sum, value) => sum + value.length * CHARACTER_BYTES, 0)

/** What a model thought is handed back as it was sealed, and shown restored. */
function restoreAnswer(answer: Answer, restorer: Restorer, textForm: TextForm): Answer {
  const choices = answer.choices.map((choice) =>
    Object.assign({}, choice, {
      text: restorer.restore(choice.text, textForm),
      refusal: choice.refusal === null ? null : restorer.restore(choice.refusal, 'plain'),
      toolCalls: choice.toolCalls.map((call) =>
        Object.assign({}, call, { arguments: restorer.restore(call.arguments, 'json') }),
      ),
      thoughts: choice.thoughts?.map((block) =>
        block.type === 'thinking'
          ? Object.assign({}, block, { thinking: restorer.restore(block.thinking, 'plain') })
          : block,
      ),
    }),
  )
  return { ...answer, choices }
}
