// Makes the service's OpenAPI document from the operations that the routes declare.
import { OpenAPIHono } from '@hono/zod-openapi'
import { createApp } from '../../src/app.ts'
import { declarationsOf } from '../../src/platform/operations.ts'
import { EXAMPLES } from '../example-letters.ts'
import { RECORDED, withAnswerExamples } from './answer-examples.ts'
import { API_DESCRIPTION, SECURITY_SCHEMES } from './api-description.ts'
import { completeSchemas } from './complete-schemas.ts'
import { describeOperation } from './describe-operation.ts'
import { shareRepeated } from './share-repeated.ts'

/** Settings with which the service starts. No request is ever answered with them. */
const SETTINGS = {
  ENVIRONMENT: 'local',
  JURISDICTIONS: 'off',
  KEY_PEPPERS: `1:${'0'.repeat(64)}`,
  OPERATOR_TOKEN: '0'.repeat(32),
}

export function openApiDocument(): object {
  const document = new OpenAPIHono()
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the bindings are used by requests only
  for (const declaration of declarationsOf(createApp(SETTINGS as unknown as Cloudflare.Env))) {
    document.openAPIRegistry.registerPath(describeOperation(declaration))
  }
  for (const [name, scheme] of Object.entries(SECURITY_SCHEMES)) {
    document.openAPIRegistry.registerComponent('securitySchemes', name, scheme)
  }
  const described = withExampleRequests(document.getOpenAPI31Document(API_DESCRIPTION))
  return shareRepeated(completeSchemas(withAnswerExamples(described)))
}

type Document = ReturnType<OpenAPIHono['getOpenAPI31Document']>

/** Adds a letter that a sandbox key can read, so that a command made from the document works, and a signed reading. */
function withExampleRequests(document: Document): Document {
  const request = document.components?.schemas?.['ReadRequest']
  if (request === undefined || !('properties' in request)) throw new TypeError('the document has no ReadRequest')
  request.properties = {
    ...request.properties,
    text: { ...request.properties?.['text'], example: EXAMPLES.list[0]?.text },
  }
  const signed = document.components?.schemas?.['SignedReading']
  if (signed === undefined || !('properties' in signed)) throw new TypeError('the document has no SignedReading')
  signed.example = RECORDED['SignedReading']
  return document
}
