// Everything on a prototype of the object or its features can be called by RPC. A name that comes or goes shows here.
import { runInDurableObject } from 'cloudflare:test'
import { env, RpcTarget } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { Organisation } from '../../../src/organisation/organisation.do.ts'

const A_METHOD = 'a method'

const namesOf = (prototype: object | null): string[] =>
  Object.getOwnPropertyNames(prototype ?? {}).filter((name) => name !== 'constructor')

it('is callable from outside: these methods of the object and its features, and nothing else', async () => {
  const stub = env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName('org_of_nobody'))
  const callable = await runInDurableObject(stub, (object: Organisation) =>
    Object.fromEntries(
      namesOf(Organisation.prototype).map((name) => {
        const member: unknown = Reflect.get(object, name)
        return [name, member instanceof RpcTarget ? namesOf(Reflect.getPrototypeOf(member)).join(' ') : A_METHOD]
      }),
    ),
  )
  expect(callable).toMatchInlineSnapshot(`
    {
      "admit": "a method",
      "admitChat": "a method",
      "admitWithoutModel": "a method",
      "alarm": "a method",
      "approvals": "list find findForKey decide openReasons",
      "audit": "readTrail countStops correctCost listExports beginExport readExport beginSelection readSelection proveCoverage proveExport endExport",
      "bias": "detect listAnomalies",
      "compliance": "gather listStatements makeStatement removeStatement beginReport endReport keepReport listReports findReport findReportBy",
      "content": "open erase eraseAll",
      "erasure": "schedule cancel read repeat recordErased listErased findErased",
      "export": "begin readEntries",
      "keys": "list find findWithMade listMadeBy issue revoke make update rotate end changeMember",
      "log": "recordAct readTreeHead proveInclusion proveEntry proveConsistency gatherEvidence findEntry proveAnchor checkState checkTiles",
      "noteChatCost": "a method",
      "notices": "read choose",
      "outcomes": "record list",
      "policy": "read listVersions simulate change",
      "receipts": "list find beginExport export",
      "settings": "read change",
      "settleChat": "a method",
      "settleReading": "a method",
      "usage": "read analyse analyseKeys readCountedDay check",
      "webhook": "read tell change listDeliveries",
    }
  `)
})
