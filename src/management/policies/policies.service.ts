// Reads and changes an organisation's policy, for its people and keys.
import { actorOf, type Access } from '../../accounts/access/access.ts'
import type { WantedSimulation } from '../../organisation/policy/simulate-policy.ts'
import type { PolicyVersion } from '../../organisation/policy/policy-versions.store.ts'
import type { WantedPolicy } from '../../organisation/policy/policy.target.ts'
import type { OpenOrganisation } from '../../organisation/client.ts'

export type PoliciesService = ReturnType<typeof createPoliciesService>

export function createPoliciesService({ open }: { open: OpenOrganisation }) {
  return {
    showPolicy: async ({ organisation }: Access) => open(organisation).policy.read(),

    /** Versions before a version, the latest first. */
    listPolicyVersions: async ({ organisation }: Access, page: { before: number; limit: number }) =>
      open(organisation).policy.listVersions(page),

    /** Null if there is no such version, or it is deleted. */
    async showPolicyVersion({ organisation }: Access, version: number): Promise<PolicyVersion | null> {
      const [found] = await open(organisation).policy.listVersions({ before: version + 1, limit: 1 })
      return found?.version === version ? found : null
    },

    simulatePolicy: async ({ organisation }: Access, wanted: WantedSimulation) =>
      open(organisation).policy.simulate(wanted),

    putPolicy: async ({ organisation, manager }: Access, wanted: WantedPolicy, requestId: string) =>
      open(organisation).policy.change(wanted, { actor: actorOf(manager), act: 'policy.put', requestId }),
  }
}
