namespace LiftControl;

public interface IDoorMotor
{
    bool IsBlocked { get; }

    void Open();

    void Close();
}
