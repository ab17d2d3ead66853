// What answers in the place of the service while its settings are wrong: 503, with all that every answer has.
import { AppError } from './errors.ts'
import { renderErrorOrPage } from './render-error.ts'
import { everyAnswer } from './request.middleware.ts'
import { createApi, type Api } from './route.ts'

const MESSAGE = 'The service is not configured yet. Its operator finds the names of the missing settings in the log.'

export function createMisconfiguredApp(): Api {
  const app = createApi()
  everyAnswer(app)
  app.notFound((c) => renderErrorOrPage(new AppError('service_unavailable', MESSAGE), c))
  return app
}
