using System;

namespace LiftControl;

public sealed class Cabin
{
    private static readonly TimeSpan MinimumOpen = TimeSpan.FromSeconds(4);

    private readonly IDoorMotor _motor;
    private readonly IClock _clock;
    private DateTime _openedAt;

    public Cabin(IDoorMotor motor, IClock clock)
    {
        _motor = motor;
        _clock = clock;
    }

    public int Floor { get; private set; }

    public bool DoorsOpen { get; private set; }

    // The motor reports when the cabin is level with the floor.
    public void ArriveAt(int floor)
    {
        Floor = floor;
        OpenDoors();
    }

    public void OpenDoors()
    {
        _motor.Open();
        _openedAt = _clock.Now;
        DoorsOpen = true;
    }

    public bool CloseDoors()
    {
        if (!DoorsOpen || _clock.Now - _openedAt < MinimumOpen)
        {
            return false;
        }

        if (_motor.IsBlocked)
        {
            OpenDoors();
            return false;
        }

        _motor.Close();
        DoorsOpen = false;
        return true;
    }

    // Never called while the doors are open.
    public void Move(int steps)
    {
        if (DoorsOpen)
        {
            throw new InvalidOperationException("doors are open");
        }

        Floor += steps;
    }
}
