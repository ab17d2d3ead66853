// A chat completion's answer: the standard's own chunks are passed on, everything else is translated into them.
import type { AnswerForm } from '../call/answer-form.ts'
import type { EventWriter } from '../stream/event-writer.ts'
import { completionId, createdAt, presentCompletion } from './completion.ts'
import { createFunctionCallWriter, withFunctionCall } from './function-call.ts'
import { createPassedOnWriter } from './passed-on.ts'
import { renewChunks, renewCompletion } from './renewed-completion.ts'
import { createTranslatedWriter } from './translated.ts'

type Options = {
  /** Whether the caller asked for the stream's usage chunk. */
  readonly includeUsage: boolean
  /** Whether it asked with functions, and is answered with a function_call. */
  readonly hasFunctions?: boolean
  readonly memberName?: AnswerForm['memberName']
}

export function chatAnswerForm({ includeUsage, hasFunctions = false, memberName = asItIs }: Options): AnswerForm {
  const createWriter: AnswerForm['createWriter'] = (call, standardChunks): EventWriter => {
    const { model, choices } = call.outline
    if (standardChunks) return createPassedOnWriter({ includeUsage, choices })
    return createTranslatedWriter({ id: completionId(call), created: createdAt(call), model: model.id, includeUsage })
  }
  const asked = { route: 'createChatCompletion', renew, memberName } as const
  if (!hasFunctions) return { ...asked, present: presentCompletion, createWriter }
  return {
    ...asked,
    present: (...answered) => withFunctionCall(presentCompletion(...answered)),
    createWriter: (...call) => createFunctionCallWriter(createWriter(...call)),
  }
}

const renew: AnswerForm['renew'] = (call, { isStream, body, aqta }) =>
  isStream ? renewChunks(call, body, aqta) : renewCompletion(call, body, aqta)

const asItIs = (name: string): string => name
