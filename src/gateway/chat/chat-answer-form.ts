// A chat completion's answer: the standard's own chunks are passed on, everything else is translated into them.
import type { AnswerForm } from '../call/answer-form.ts'
import { completionId, createdAt, presentCompletion } from './completion.ts'
import { createPassedOnWriter } from './passed-on.ts'
import { createTranslatedWriter } from './translated.ts'

/** `includeUsage`: whether the caller asked for the stream's usage chunk. */
export const chatAnswerForm = ({ includeUsage }: { includeUsage: boolean }): AnswerForm => ({
  present: presentCompletion,
  createWriter(call, standardChunks) {
    const { model, choices } = call.outline
    if (standardChunks) return createPassedOnWriter({ includeUsage, choices })
    return createTranslatedWriter({ id: completionId(call), created: createdAt(call), model: model.id, includeUsage })
  },
  memberName: (chatPath) => chatPath,
})
