import {
  ArrowDownUp,
  CircleCheck,
  CircleSlash2,
  CloudOff,
  Handshake,
  Link2,
  MonitorSmartphone,
  Share2,
  TriangleAlert,
} from 'lucide-react';
import { DEVICE_WORDS, type DeviceStanding } from '#renderer/text/devices-text.ts';
import { Chip, type Look } from '#renderer/ui/display/status-chip.tsx';

const LOOKS: Readonly<Record<DeviceStanding, Look>> = {
  this: { icon: MonitorSmartphone, tone: 'active' },
  live: { icon: CircleCheck, tone: 'good' },
  greeting: { icon: Handshake, tone: 'active' },
  'catching-up': { icon: ArrowDownUp, tone: 'active' },
  'update-needed': { icon: TriangleAlert, tone: 'wait' },
  linked: { icon: Link2, tone: 'active' },
  away: { icon: CloudOff, tone: 'quiet' },
  unpaired: { icon: CircleSlash2, tone: 'quiet' },
  known: { icon: Share2, tone: 'quiet' },
};

export function DeviceChip({ standing }: { readonly standing: DeviceStanding }) {
  return <Chip {...LOOKS[standing]} word={DEVICE_WORDS[standing]} />;
}
