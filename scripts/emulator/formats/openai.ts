// OpenAI's chat completions, as one wire format: what belongs to it besides its requests and answers.

import { bearerKey, jsonEvent } from '../wire-format.ts'
import type { WireFormat, WireProblem } from '../wire-format.ts'
import { openAiEvents, openAiJson } from './openai-answer.ts'
import { readOpenAi } from './openai-request.ts'

export const OPENAI_CHAT_PATH = '/v1/chat/completions'
export const OPENAI_MODELS_PATH = '/v1/models'

function errorType(status: number): string {
  if (status === 401) return 'authentication_error'
  if (status === 429) return 'rate_limit_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}

function errorBody({ status, message, code, param, type }: WireProblem): object {
  return { error: { message, type: type ?? errorType(status), param, code } }
}

export const openAi: WireFormat = {
  provider: 'openai',
  lineEnd: '\n',
  requestIdHeader: 'x-request-id',
  ping: null,
  key: ({ headers }) => bearerKey(headers),
  modelOf: (_path, body) => (typeof body['model'] === 'string' ? body['model'] : null),
  read: readOpenAi,
  json: openAiJson,
  events: openAiEvents,
  problem: (problem) => ({
    headers: typeof problem.retryAfterSeconds === 'number' ? { 'retry-after': `${problem.retryAfterSeconds}` } : {},
    body: errorBody(problem),
  }),
  streamError: ({ errorAs }) => [
    jsonEvent({
      error: {
        message: 'Countersign emulator: failed on request',
        param: null,
        ...(errorAs === 'content'
          ? { type: 'invalid_request_error', code: 'invalid_prompt' }
          : { type: 'server_error', code: null }),
      },
    }),
  ],
}

/** The answer to `GET /v1/models`. */
export function openAiModels(models: readonly string[]): object {
  return {
    object: 'list',
    data: models.map((id) => ({ id, object: 'model', created: 0, owned_by: 'countersign-emulator' })),
  }
}
