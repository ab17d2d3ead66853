// What an organisation's people and keys do with its policy.
import { actorOf, type Access } from '../../accounts/access/access.ts'
import type { WantedPolicy } from '../../organisation/change-policy.ts'
import type { OpenOrganisation } from '../../organisation/organisation-stub.ts'

export type PoliciesService = ReturnType<typeof createPoliciesService>

export function createPoliciesService({ open }: { open: OpenOrganisation }) {
  return {
    showPolicy: async ({ organisation }: Access) => open(organisation).readPolicy(),

    putPolicy: async ({ organisation, manager }: Access, wanted: WantedPolicy, requestId: string) =>
      open(organisation).changePolicy(wanted, { actor: actorOf(manager), act: 'policy.put', requestId }),
  }
}
