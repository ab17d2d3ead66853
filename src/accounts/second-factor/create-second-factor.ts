// Builds second factors: their services and routes, and the second step that every way to sign in ends with.
import { createApi, type Api } from '../../platform/router.ts'
import { factorRoutes } from './factors.routes.ts'
import { factorResetRoutes } from './factor-resets.routes.ts'
import { createFactorResetsService } from './factor-resets.service.ts'
import { createFactorsService } from './factors.service.ts'
import { createPersonActs, type PersonActs } from './person-acts.ts'
import type { SecondFactorDeps } from './second-factor-deps.ts'
import { secondStepRoutes } from './second-step.routes.ts'
import { createSecondStepService, type SecondStepService } from './second-step.service.ts'

type SecondFactor = { routes: Api; secondStep: SecondStepService; acts: PersonActs }

export function createSecondFactor(deps: SecondFactorDeps): SecondFactor {
  const resets = createFactorResetsService(deps)
  const secondStep = createSecondStepService({ ...deps, resets })
  const service = createFactorsService(deps)
  const routes = createApi()
  routes.route('/', secondStepRoutes({ ...deps, service: secondStep, factorsService: service }))
  routes.route('/', factorRoutes({ ...deps, service }))
  routes.route('/', factorResetRoutes({ ...deps, service: resets }))
  return { routes, secondStep, acts: createPersonActs(deps) }
}
