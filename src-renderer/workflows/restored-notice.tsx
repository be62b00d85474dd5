// On a restored device: why nothing runs, with a link to resume.
import { href } from '#renderer/navigation/router.ts';
import { upkeepText } from '#renderer/text/upkeep-text.ts';
import { Link } from '#renderer/ui/buttons/link.tsx';
import { Notice } from '#renderer/ui/feedback/notice.tsx';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';

const TEXT = upkeepText.restored;

export function RestoredNotice() {
  const { answer } = useLiveCall('restored.get', {}, { workflows: 'any' });
  if (answer === null || answer.workflows.length === 0) return null;
  return (
    <Notice tone="wait">
      <p>{TEXT.notice(answer.workflows.length)}</p>
      <Link to={href.settings('backups')} className="font-medium underline">
        {TEXT.toSettings}
      </Link>
    </Notice>
  );
}
