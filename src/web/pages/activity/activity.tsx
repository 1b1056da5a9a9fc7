import { ButtonChoice } from '../../components/forms/choice.tsx'
import { Page } from '../../components/layout/page.tsx'
import { t } from '../../locales/index.ts'
import { persistedSignal } from '../../store/preferences.ts'
import { AppTimeline } from './apps.tsx'
import { ChangeTimeline } from './change-timeline.tsx'

const TIMELINES = ['changes', 'apps'] as const

const shown = persistedSignal('activity.shown', TIMELINES, 'changes')

/** Changes of the user's subscriptions, which can be undone, and the activity of their apps. */
export default function Activity() {
  return (
    <Page
      title={t('activity.title')}
      lead={t(`activity.leads.${shown.value}`)}
      actions={
        <ButtonChoice
          class="segmented"
          label={t('activity.show')}
          value={shown.value}
          options={TIMELINES.map((value) => ({ value, label: t(`activity.timelines.${value}`) }))}
          onChoose={(value) => {
            shown.value = value
          }}
        />
      }
    >
      {shown.value === 'changes' ? <ChangeTimeline /> : <AppTimeline />}
    </Page>
  )
}
