// The answer of a Responses request: one object, or its own events, of every provider.
import type { AnswerForm } from '../call/answer-form.ts'
import { presentResponse } from './present-response.ts'
import type { Echo } from './response-object.ts'
import { renewEvents, renewResponse } from './renewed-response.ts'
import { createResponseWriter } from './response-writer.ts'

/** `carriesReasoning`: whether the answer holds what its model wants back in the next turn. */
type Options = Echo & { readonly carriesReasoning: boolean; readonly memberName: AnswerForm['memberName'] }

export const responsesAnswerForm = ({ memberName, ...echo }: Options): AnswerForm => ({
  route: 'createResponse',
  present: (call, { answer }, told) => presentResponse(call, answer, told, echo),
  createWriter: (call) => createResponseWriter(call, echo),
  renew: (call, { firstTraceId, isStream, body, aqta }) =>
    (isStream ? renewEvents : renewResponse)(call, firstTraceId, body, aqta),
  memberName,
})
