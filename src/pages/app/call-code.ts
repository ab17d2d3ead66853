// A call as code for each client. It runs as it is, where the key is filled in; else the key is left to a variable.
import type { CodeTab } from '../parts/code-tabs.view.tsx'
import { CHAT, MESSAGES, nodeClient, pythonClient, pythonValue, quoted } from '../text/code-values.ts'
import { USE_CASE_HEADER, type CallBody, type CallRequest } from './playground/call-request.ts'

const ORIGIN = location.origin

/** The environment variable that the key is read from, if it is not shown. */
const VARIABLE = 'GATEWAY_KEY'

/** @param secret the whole key, or null for the variable that holds it */
export const codeOf = (request: CallRequest, secret: string | null = null): readonly CodeTab[] => [
  { name: 'curl', language: 'sh', text: curlLines(request, secret) },
  { name: 'Python', language: 'python', text: pythonLines(request, secret) },
  { name: 'Node', language: 'js', text: nodeLines(request, secret, OPENAI) },
  { name: 'Claude Code', language: 'sh', text: claudeCodeLines(request, secret) },
  { name: 'Anthropic SDK', language: 'js', text: nodeLines(request, secret, ANTHROPIC) },
]

/** The header with the key. The shell fills in the variable. */
export const keyHeader = (secret: string | null): string => `-H "authorization: Bearer ${secret ?? `$${VARIABLE}`}"`

const curlLines = ({ body, useCase }: CallRequest, secret: string | null): string =>
  [
    `curl -s ${ORIGIN}/v1/chat/completions`,
    keyHeader(secret),
    ...(useCase === '' ? [] : [`-H ${quoted(`${USE_CASE_HEADER}: ${useCase}`)}`]),
    `-H 'content-type: application/json'`,
    `-d ${quoted(JSON.stringify(body, null, 2).replaceAll('\n', '\n  '))}`,
  ].join(' \\\n  ')

const pythonLines = ({ body, useCase }: CallRequest, secret: string | null): string =>
  pythonClient({
    origin: ORIGIN,
    key: secret === null ? `os.environ["${VARIABLE}"]` : `"${secret}"`,
    given: [
      ...Object.entries(body).map(([name, value]) => `${name}=${pythonValue(value, '    ')}`),
      ...(useCase === '' ? [] : [`extra_headers={"${USE_CASE_HEADER}": ${JSON.stringify(useCase)}}`]),
    ],
    after:
      body.stream === true
        ? [
            'for chunk in answer:',
            '    if chunk.choices:',
            '        print(chunk.choices[0].delta.content or "", end="")',
          ]
        : ['print(answer.choices[0].message.content)', 'print(answer.aqta["attestation"])  # the signed record'],
  })

const OPENAI = {
  method: CHAT,
  bodyOf: (body: CallBody): object => body,
  text: 'choices[0].message.content',
  event: 'choices',
  piece: 'choices[0]?.delta.content',
}

const ANTHROPIC: typeof OPENAI = {
  method: MESSAGES,
  bodyOf(body) {
    const { system, user = [] } = Object.groupBy(body.messages, ({ role }) => role)
    return {
      ...body,
      max_tokens: body.max_tokens ?? 1024,
      system: system?.map(({ content }) => content).join('\n\n'),
      messages: user,
      stream_options: undefined,
    }
  },
  text: 'content[0].text',
  event: 'delta',
  piece: 'delta?.text',
}

/** @param sdk how an SDK takes a call, and gives the text of an answer and of an event */
const nodeLines = ({ body, useCase }: CallRequest, secret: string | null, sdk: typeof OPENAI): string =>
  nodeClient({
    origin: ORIGIN,
    key: secret === null ? `process.env.${VARIABLE}` : `'${secret}'`,
    method: sdk.method,
    given: [
      JSON.stringify(sdk.bodyOf(body), null, 2),
      ...(useCase === '' ? [] : [`{\n  headers: { '${USE_CASE_HEADER}': ${JSON.stringify(useCase)} },\n}`]),
    ],
    after:
      body.stream === true
        ? [`for await (const { ${sdk.event} } of answer)`, `  process.stdout.write(${sdk.piece} ?? '')`]
        : [`console.log(answer.${sdk.text})`, 'console.log(answer.aqta.attestation) // the signed record'],
  })

/** It speaks Anthropic's format, with any model. */
const claudeCodeLines = ({ body, useCase }: CallRequest, secret: string | null): string =>
  [
    `ANTHROPIC_BASE_URL=${ORIGIN}`,
    `ANTHROPIC_AUTH_TOKEN=${secret ?? `$${VARIABLE}`}`,
    ...(useCase === '' ? [] : [`ANTHROPIC_CUSTOM_HEADERS=${quoted(`${USE_CASE_HEADER}: ${useCase}`)}`]),
    `claude --model ${body.model}`,
  ].join(' \\\n  ')
