// A page of the API reference, about one operation: scripts/pages/reference-pages.ts makes its HTML with the operation's part of the
// OpenAPI document inside, so nothing is requested.
import { forgetKeys } from '../api/kept-keys.ts'
import { showIn, showInIsland } from '../parts/island.ts'
import type { ApiDocument } from './openapi-document.ts'
import { operationsOf } from './openapi-document.ts'
import { OperationCode } from './operation-code.view.tsx'
import { enableSearch } from '../search/open-search.ts'
import { OperationView } from './operation.view.tsx'

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of the same build, which a test checks
const part = JSON.parse(document.querySelector('#operation')?.textContent ?? '{}') as ApiDocument

for (const operation of operationsOf(part)) {
  showInIsland(<OperationView document={part} operation={operation} />)
  showIn('#code', <OperationCode document={part} operation={operation} />)
}
enableSearch()
// Another tab has signed somebody in or out.
new BroadcastChannel('session').addEventListener('message', ({ data }) => {
  if (data === null) forgetKeys()
})
